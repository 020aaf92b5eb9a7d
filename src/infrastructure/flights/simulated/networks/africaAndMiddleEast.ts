import type { Airline, CabinProduct } from '../airline.ts';
import { threeCabins } from '../threeCabins.ts';

const gulf: CabinProduct = {
  economy: ['Economy Saver', 'Economy Flex', 'Economy Flex Plus'],
  premium_economy: 'Premium Economy',
  business: 'Business Class',
  businessEverywhere: true,
  first: 'First Class',
};

/** Airlines of Africa and the Middle East, Turkey included. Hubs and routes as published around 2025. */
export const africanAndMiddleEasternAirlines: readonly Airline[] = [
  {
    code: 'TK',
    currency: 'USD',
    hubs: 'IST',
    reach: 3,
    routes: {
      IST: `GRU BOG PTY MEX CUN HAV CCS JFK EWR BOS IAD ATL MIA DFW IAH ORD DTW DEN SEA SFO LAX YYZ YUL YVR
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
    fleet: '359 388 77W',
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
      DOH: `GRU JFK PHL BOS IAD ATL MIA ORD DFW IAH SEA SFO LAX YYZ YUL LHR LGW MAN EDI BHX DUB CDG NCE TLS AMS BRU
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
];
