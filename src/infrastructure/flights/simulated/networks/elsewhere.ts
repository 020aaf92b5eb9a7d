import type { Airline, CabinProduct } from '../airline.ts';

const threeCabins: CabinProduct = {
  economy: ['Economy Lite', 'Economy Value', 'Economy Flex'],
  premium_economy: 'Premium Economy',
  business: 'Business Class',
  businessEverywhere: true,
};

const gulf: CabinProduct = {
  economy: ['Economy Saver', 'Economy Flex', 'Economy Flex Plus'],
  premium_economy: 'Premium Economy',
  business: 'Business Class',
  businessEverywhere: true,
  first: 'First Class',
};

/** Airlines of Africa, the Middle East, Asia and Oceania. Hubs and routes as published around 2025. */
export const otherAirlines: readonly Airline[] = [
  {
    code: 'TK',
    currency: 'USD',
    hubs: 'IST',
    reach: 3,
    routes: {
      IST: `GRU EZE SCL BOG PTY MEX CUN HAV CCS JFK EWR BOS IAD ATL MIA DFW IAH ORD DTW DEN SEA SFO LAX YYZ YUL YVR
        @EUR2 KRK BTS SOF LJU ZAG DBV BRI PMO CTA RIX TLL VNO MLA SKG LUX BSL NUE HAJ CGN BIO BOD HND NRT KIX ICN HKG TPE
        PVG PEK CAN SIN KUL BKK HKT SGN HAN MNL DPS CGK DEL BOM CMB MLE DAC KTM KHI ISB LHE DXB AUH DOH RUH JED KWI BAH
        MCT AMM BEY TLV CAI CMN RAK ALG TUN ADD NBO DAR EBB KGL JNB CPT DUR MRU SEZ LOS ACC ABJ DSS NBJ LUN TAS ALA NQZ
        GYD TBS SVO`,
    },
    fleet: '738 7M8 7M9 321 32Q 332 333 359 77W 789',
    alliance: 'star',
    partners: 'AD LA',
    holds: true,
    product: { economy: ['EcoFly', 'ExtraFly', 'PrimeFly'], business: 'Business', businessEverywhere: true },
  },
  {
    code: 'EK',
    currency: 'USD',
    hubs: 'DXB',
    reach: 1,
    routes: {
      DXB: `GRU GIG JFK EWR BOS IAD ORD MIA MCO DFW IAH SEA SFO LAX YYZ YUL LHR LGW STN MAN BHX NCL GLA EDI DUB CDG LYS
        NCE AMS BRU FRA MUC DUS HAM ZRH GVA VIE PRG BUD WAW MXP FCO VCE BLQ MAD BCN LIS ATH LCA MLA CPH ARN OSL IST BTS
        LJU ZAG CAI JNB CPT DUR MRU SEZ TNR LUN HRE DAR EBB NBO ADD LOS ACC ABJ DSS NBJ CMN TUN ALG RUH JED KWI BAH MCT
        AMM BEY TLV DEL BOM BLR MAA HYD CCU CMB MLE DAC KHI ISB LHE KTM BKK HKT SIN KUL CGK DPS MNL SGN HAN HKG TPE ICN
        NRT HND KIX PEK PVG CAN SZX SYD MEL BNE PER ADL AKL SVO GYD TBS EVN TAS`,
    },
    fleet: '7M8 359 388 77W',
    partners: 'G3 LA AC UA QF TP',
    holds: true,
    product: gulf,
  },
  {
    code: 'QR',
    currency: 'USD',
    hubs: 'DOH',
    reach: 1,
    routes: {
      DOH: `GRU EZE JFK PHL BOS IAD ATL MIA ORD DFW IAH SEA SFO LAX YYZ YUL LHR LGW MAN EDI BHX DUB CDG NCE TLS AMS BRU
        FRA MUC BER DUS HAM ZRH GVA VIE PRG BUD WAW OTP SOF BEG ZAG MXP FCO VCE MAD BCN AGP LIS ATH SKG LCA CPH ARN OSL
        HEL GOT IST SAW ESB CAI TUN ALG CMN RAK JNB CPT DUR MPM HRE LUN NBO DAR EBB KGL ADD SEZ LOS ACC ABJ NBJ RUH JED
        KWI BAH MCT AMM BEY DXB AUH DEL BOM BLR MAA HYD CCU CMB MLE DAC KTM KHI ISB LHE BKK HKT SIN KUL CGK DPS MNL SGN
        HAN HKG ICN NRT HND KIX PEK PVG CAN SYD MEL BNE PER ADL AKL TAS ALA GYD TBS EVN SVO`,
    },
    fleet: '320 32Q 332 333 359 351 77W 788 789 388',
    alliance: 'oneworld',
    partners: 'LA G3 B6',
    product: {
      economy: ['Economy Lite', 'Economy Classic', 'Economy Convenience'],
      business: 'Qsuite Business',
      businessEverywhere: true,
      first: 'First Class',
    },
  },
  {
    code: 'EY',
    currency: 'USD',
    hubs: 'AUH',
    reach: 1,
    routes: {
      AUH: `JFK IAD ORD BOS ATL YYZ LHR MAN DUB CDG FRA MUC ZRH GVA VIE AMS BRU MXP FCO MAD BCN LIS ATH PRG WAW DEL BOM
        BLR MAA HYD CMB MLE BKK HKT SIN KUL CGK DPS MNL ICN NRT KIX PEK PVG HKG TPE HAN SYD MEL JNB NBO SEZ CAI CMN TUN
        RUH JED AMM BEY TLV KWI BAH MCT`,
    },
    fleet: '320 32N 32Q 388 77W 789 781 351',
    partners: 'AF KL B6',
    product: gulf,
  },
  {
    code: 'SV',
    currency: 'USD',
    hubs: 'RUH JED',
    reach: 2,
    routes: {
      RUH: 'LHR CDG FRA MAD DXB CAI AMM DEL BOM JFK IAD',
      JED: 'LHR MAN CDG FRA MUC GVA ZRH MAD FCO MXP ATH IST VIE JFK IAD LAX DXB CAI TUN CMN ALG DEL BOM ISB KHI KUL CGK',
    },
    fleet: '320 32N 333 77W 789',
    alliance: 'skyteam',
    product: threeCabins,
  },
  {
    code: 'MS',
    currency: 'USD',
    hubs: 'CAI',
    reach: 1,
    routes: {
      CAI: '@EUR1 JFK IAD YYZ NBO JNB LOS ACC DXB RUH JED KWI DEL BOM PEK CAN BKK AMM BEY ADD EBB DAR',
    },
    fleet: '738 32N 32Q 333 77W 789',
    alliance: 'star',
    product: threeCabins,
  },
  {
    code: 'LY',
    currency: 'USD',
    hubs: 'TLV',
    reach: 1,
    routes: { TLV: '@EUR1 JFK EWR BOS MIA LAX BKK NRT' },
    fleet: '738 788 789',
    product: threeCabins,
  },
  {
    code: 'AT',
    currency: 'USD',
    hubs: 'CMN',
    reach: 3,
    routes: { CMN: 'GRU JFK IAD MIA YUL YYZ @EUR1 ORY DSS ABJ ACC LOS TUN ALG CAI IST DOH DXB RUH JED' },
    fleet: 'E90 738 7M8 788 789',
    alliance: 'oneworld',
    partners: 'G3',
    product: { economy: ['Light', 'Classic', 'Flex'], business: 'Business', businessEverywhere: true },
  },
  {
    code: 'ET',
    currency: 'USD',
    hubs: 'ADD',
    reach: 1,
    routes: {
      ADD: `GRU IAD EWR ORD YYZ LHR MAN DUB CDG FRA BRU MXP FCO MAD VIE ARN GVA ZRH ATH IST DXB DOH RUH JED KWI BAH MCT
        AMM BEY TLV CAI NBO EBB KGL DAR JNB CPT LUN HRE MPM NBJ WDH TNR SEZ LOS ACC ABJ DSS DEL BOM MAA BKK SIN KUL CGK
        MNL HKG ICN NRT PEK PVG CAN`,
    },
    fleet: '738 7M8 788 789 359 77W',
    alliance: 'star',
    partners: 'G3',
    holds: true,
    product: {
      economy: ['Economy Basic', 'Economy Saver', 'Economy Flex'],
      business: 'Cloud Nine',
      businessEverywhere: true,
    },
  },
  {
    code: 'SA',
    currency: 'USD',
    hubs: 'JNB CPT',
    reach: 3,
    routes: { JNB: 'GRU PER LUN HRE MPM WDH LOS ACC DAR MRU', CPT: 'GRU WDH HRE' },
    fleet: '320 332 333',
    alliance: 'star',
    product: {
      economy: ['Economy', 'Economy Plus', 'Economy Flex'],
      business: 'Business',
      businessEverywhere: true,
    },
  },
  {
    code: 'DT',
    currency: 'USD',
    hubs: 'NBJ',
    reach: 2,
    routes: { NBJ: 'GRU LIS OPO MAD JNB CPT MPM WDH' },
    fleet: '738 77W 789',
    product: { economy: ['Discount', 'Classic', 'Plus'], business: 'Executive', first: 'Diamante' },
  },
  {
    code: 'MK',
    currency: 'EUR',
    hubs: 'MRU',
    reach: 2,
    routes: { MRU: 'CDG LHR BOM DEL PER RUN JNB CPT KUL TNR' },
    fleet: 'AT7 339 359',
    product: { economy: ['Saver', 'Comfort', 'Flex'], business: 'Business Class' },
  },
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
