import type { Airline } from '../airline.ts';
import { threeCabins } from '../threeCabins.ts';

/** Airlines of Asia and Oceania. Hubs and routes as published around 2025. */
export const asianAndOceanianAirlines: readonly Airline[] = [
  {
    code: 'SQ',
    currency: 'USD',
    hubs: 'SIN',
    reach: 1,
    routes: {
      SIN: `JFK EWR LAX SFO SEA LHR MAN CDG FRA MUC ZRH BRU CPH MXP FCO BCN IST AMS DEL BOM BLR MAA HYD CCU CMB DAC KTM MLE
        BKK HKT KUL CGK DPS MNL SGN HAN HKG TPE ICN NRT HND KIX NGO FUK PEK PVG CAN SZX TFU SYD MEL BNE PER ADL CNS AKL
        CHC JNB CPT DXB`,
    },
    fleet: '738 7M8 359 388 77W 781',
    alliance: 'star',
    product: { ...threeCabins, first: 'Suites' },
  },
  {
    code: 'CX',
    currency: 'USD',
    hubs: 'HKG',
    reach: 1,
    routes: {
      HKG: `JFK BOS ORD DFW LAX SFO SEA YYZ YVR LHR MAN CDG FRA MUC ZRH AMS BRU MXP FCO MAD BCN DXB RUH DEL BOM BLR MAA CMB
        MLE BKK HKT SIN KUL CGK DPS MNL SGN HAN TPE ICN PUS NRT HND KIX NGO FUK CTS PEK PVG CAN TFU SYD MEL BNE PER AKL
        JNB`,
    },
    fleet: '321 32Q 333 359 351 77W',
    alliance: 'oneworld',
    product: { ...threeCabins, first: 'First' },
  },
  {
    code: 'JL',
    currency: 'USD',
    hubs: 'HND NRT KIX',
    reach: 3,
    routes: {
      HND: 'JFK ORD DFW LAX SFO LHR CDG HEL DOH DEL BKK SIN MNL SGN TPE GMP PVG PEK SYD',
      NRT: 'JFK BOS LAX SAN SEA SFO YVR FRA BLR DEL BKK SIN KUL CGK SGN HAN MNL HKG TPE ICN PVG MEL',
    },
    fleet: '738 788 789 359 351',
    alliance: 'oneworld',
    product: { ...threeCabins, first: 'First Class' },
  },
  {
    code: 'NH',
    currency: 'USD',
    hubs: 'HND NRT ITM',
    reach: 3,
    routes: {
      HND: 'JFK IAD ORD IAH LAX SFO SEA YVR LHR CDG FRA MUC VIE MXP ARN IST DEL BOM BKK SIN KUL CGK MNL SGN HKG GMP TPE PVG PEK SYD',
      NRT: 'ORD LAX SFO BRU PER BKK SIN KUL SGN MNL HKG TPE PVG HNL MEX',
    },
    fleet: '738 32Q 788 789 781 77W',
    alliance: 'star',
    product: { ...threeCabins, first: 'The Suite' },
  },
  {
    code: 'KE',
    currency: 'USD',
    hubs: 'ICN GMP',
    reach: 3,
    routes: {
      ICN: `JFK BOS IAD ATL ORD DFW LAS LAX SFO SEA YYZ YVR LHR CDG FRA AMS ZRH VIE PRG BUD MXP FCO MAD LIS IST TLV DXB
        DEL KTM CMB BKK HKT SIN KUL CGK DPS MNL SGN HAN HKG TPE NRT HND KIX NGO FUK CTS OKA PEK PVG CAN TAS SYD BNE AKL
        HNL`,
      GMP: 'HND KIX SHA',
    },
    fleet: '223 738 32Q 333 359 388 77W 789 781',
    alliance: 'skyteam',
    product: {
      economy: ['Economy Saver', 'Economy Standard', 'Economy Flex'],
      business: 'Prestige Class',
      first: 'First Class',
    },
  },
  {
    code: 'CA',
    currency: 'USD',
    hubs: 'PEK TFU',
    reach: 2,
    routes: {
      PEK: `JFK LAX SFO IAD YVR LHR CDG FRA MUC MAD BCN FCO MXP VIE GVA BRU ARN CPH WAW BUD ATH IST DXB DEL BKK SIN KUL CGK
        MNL SGN HAN HKG TPE ICN NRT HND KIX SYD MEL SVO`,
      TFU: 'FRA CDG LHR BKK SIN',
    },
    fleet: '738 320 32N 333 359 77W 789',
    alliance: 'star',
    product: { ...threeCabins, first: 'First Class' },
  },
  {
    code: 'MU',
    currency: 'USD',
    hubs: 'PVG SHA PKX',
    reach: 2,
    routes: {
      PVG: 'JFK LAX SFO YYZ YVR LHR CDG FRA AMS MAD FCO IST DXB BKK HKT SIN KUL CGK DPS MNL SGN HKG TPE ICN NRT HND KIX NGO SYD MEL AKL SVO',
    },
    fleet: '738 320 32N 333 359 77W 789',
    alliance: 'skyteam',
    product: threeCabins,
  },
  {
    code: 'BR',
    currency: 'USD',
    hubs: 'TPE',
    reach: 1,
    routes: {
      TPE: 'JFK ORD IAH DFW LAX SFO SEA YYZ YVR LHR CDG AMS VIE MUC MXP IST BKK SIN KUL CGK DPS MNL SGN HAN HKG ICN NRT HND KIX NGO FUK CTS OKA PEK PVG CAN SZX BNE',
    },
    fleet: '321 333 77W 789 781',
    alliance: 'star',
    product: { ...threeCabins, business: 'Royal Laurel' },
  },
  {
    code: 'TG',
    currency: 'USD',
    hubs: 'BKK',
    reach: 2,
    routes: {
      BKK: 'LHR CDG FRA MUC ZRH VIE BRU MXP CPH ARN OSL IST DEL BOM BLR MAA HYD CCU CMB DAC KTM KHI ISB LHE MLE SIN KUL CGK DPS MNL SGN HAN HKG TPE ICN NRT HND KIX NGO FUK CTS PEK PVG CAN TFU SYD MEL PER AKL',
    },
    fleet: '320 333 359 77W 788 789',
    alliance: 'star',
    product: { ...threeCabins, business: 'Royal Silk' },
  },
  {
    code: 'MH',
    currency: 'USD',
    hubs: 'KUL',
    reach: 1,
    routes: {
      KUL: 'LHR CDG DOH JED DEL BOM BLR MAA HYD CMB DAC KTM MLE BKK HKT SIN CGK DPS MNL SGN HAN HKG TPE ICN NRT KIX PEK PVG CAN SYD MEL BNE PER ADL AKL',
    },
    fleet: '738 7M8 332 333 359',
    alliance: 'oneworld',
    product: threeCabins,
  },
  {
    code: 'VN',
    currency: 'USD',
    hubs: 'SGN HAN',
    reach: 2,
    routes: {
      SGN: 'LHR CDG FRA SFO SYD MEL BKK SIN KUL CGK DPS MNL HKG TPE ICN NRT KIX NGO PVG CAN DEL',
      HAN: 'LHR CDG FRA MUC BKK SIN KUL HKG TPE ICN NRT HND KIX PEK PVG DEL SYD MEL',
    },
    fleet: '321 32Q 359 789 781',
    alliance: 'skyteam',
    product: threeCabins,
  },
  {
    code: 'AI',
    currency: 'USD',
    hubs: 'DEL BOM',
    reach: 3,
    routes: {
      DEL: 'JFK EWR ORD IAD SFO YYZ YVR LHR BHX CDG FRA AMS ZRH VIE CPH MXP DXB AUH RUH JED SIN BKK KUL HKG ICN HND NRT SYD MEL KTM DAC CMB MLE TLV',
      BOM: 'JFK EWR SFO LHR FRA DXB AUH SIN BKK',
    },
    fleet: '320 32N 321 788 789 359 77W',
    alliance: 'star',
    product: { ...threeCabins, first: 'First' },
  },
  {
    code: 'QF',
    currency: 'USD',
    hubs: 'SYD MEL BNE PER',
    reach: 3,
    routes: {
      SYD: 'DFW LAX SFO SCL YVR SIN BKK HKG NRT HND ICN CGK DPS MNL DEL BLR AKL CHC WLG ZQN NAN JNB HNL',
      MEL: 'LAX DFW SIN DEL NRT HND AKL CHC ZQN DPS NAN',
      BNE: 'LAX SIN NRT AKL CHC WLG ZQN',
      PER: 'LHR CDG FCO SIN JNB CGK DPS',
    },
    fleet: 'DH4 E90 738 32Q 332 333 388 789',
    alliance: 'oneworld',
    partners: 'LA EK',
    product: { ...threeCabins, economy: ['Red e-Deal', 'Saver', 'Flex'], first: 'First' },
  },
  {
    code: 'NZ',
    currency: 'USD',
    hubs: 'AKL CHC',
    reach: 3,
    routes: {
      AKL: 'JFK IAH LAX SFO YVR HNL SIN HKG TPE NRT ICN PVG DPS SYD MEL BNE OOL CNS ADL PER NAN PPT',
      CHC: 'SYD MEL BNE OOL SIN',
    },
    fleet: 'AT7 320 32N 32Q 77W 789',
    alliance: 'star',
    product: {
      economy: ['Seat', 'The Works', 'Flexi'],
      premium_economy: 'Premium Economy',
      business: 'Business Premier',
    },
  },
];
