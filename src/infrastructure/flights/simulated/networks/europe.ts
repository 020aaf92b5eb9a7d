import type { Airline, CabinProduct } from '../airline.ts';

const lufthansaGroup: CabinProduct = {
  economy: ['Economy Light', 'Economy Classic', 'Economy Flex'],
  premium_economy: 'Premium Economy',
  business: 'Business Class',
  businessEverywhere: true,
};

/** Airlines of Europe with networks. Hubs and routes as published around 2025. */
export const europeanAirlines: readonly Airline[] = [
  {
    code: 'TP',
    currency: 'EUR',
    hubs: 'LIS OPO',
    reach: 4,
    routes: {
      LIS: `GRU GIG BSB CNF POA FLN SSA REC FOR NAT MCZ BEL MAO VCP EWR JFK BOS IAD MIA ORD SFO LAX YYZ YUL CUN PUJ CCS
        SID RAI DSS ACC ABJ NBJ MPM RAK CMN ALG TLV @EUR2 LUX BOD NTE BIO SCQ`,
      OPO: 'GRU GIG EWR LUX ORY GVA MAD',
    },
    fleet: 'E90 319 320 32N 32Q 339',
    alliance: 'star',
    partners: 'AD G3',
    holds: true,
    product: {
      economy: ['Discount', 'Classic', 'Plus'],
      premium_economy: 'EconomyXtra',
      business: 'Executive',
      businessEverywhere: true,
    },
  },
  {
    code: 'IB',
    currency: 'EUR',
    hubs: 'MAD',
    reach: 3,
    routes: {
      MAD: `GRU GIG REC FOR EZE MVD SCL LIM BOG MDE CLO UIO GYE CCS PTY SJO GUA SAL MEX MTY CUN HAV SDQ SJU PUJ JFK BOS
        MIA ORD DFW LAX IAD SFO MCO DOH NRT CMN RAK ALG TLV DSS @EUR2 FNC`,
    },
    fleet: 'CR9 319 320 32N 321 32Q 332 333 359',
    alliance: 'oneworld',
    partners: 'LA ZP',
    holds: true,
    product: {
      economy: ['Básico', 'Óptimo', 'Flexible'],
      premium_economy: 'Premium Economy',
      business: 'Business',
      businessEverywhere: true,
    },
  },
  {
    code: 'UX',
    currency: 'EUR',
    hubs: 'MAD',
    reach: 3,
    routes: {
      MAD: 'GRU SSA EZE COR ASU MVD LIM GYE UIO BOG MDE CCS VVI PTY SDQ PUJ HAV CUN JFK MIA SAP @EUR1 ORY OPO VCE',
    },
    fleet: 'E95 738 788 789',
    alliance: 'skyteam',
    partners: 'G3',
    product: {
      economy: ['Lite', 'Standard', 'Flex'],
      business: 'Business',
      businessEverywhere: true,
    },
  },
  {
    code: 'AF',
    currency: 'EUR',
    hubs: 'CDG ORY',
    reach: 3,
    routes: {
      CDG: `GRU GIG FOR SSA EZE SCL LIM BOG PTY SJO MEX CUN HAV PUJ JFK EWR BOS IAD ORD ATL MIA DFW IAH DEN PHX MSP DTW
        SEA SFO LAX LAS MCO RDU YYZ YUL YVR YOW HND NRT KIX ICN HKG PVG PEK TPE SIN BKK SGN MNL DEL BOM BLR DXB RUH JED
        BEY AMM TLV CAI ALG TUN CMN RAK DSS ABJ ACC LOS NBO JNB CPT TNR MRU RUN NBJ @EUR2`,
      ORY: 'CAY RUN',
    },
    fleet: 'E90 223 319 320 321 332 359 772 77W 789',
    alliance: 'skyteam',
    partners: 'G3 LA',
    holds: true,
    product: {
      economy: ['Light', 'Standard', 'Flex'],
      premium_economy: 'Premium',
      business: 'Business',
      businessEverywhere: true,
      first: 'La Première',
    },
  },
  {
    code: 'KL',
    currency: 'EUR',
    hubs: 'AMS',
    reach: 3,
    routes: {
      AMS: `GRU GIG EZE LIM BOG CTG UIO GYE PTY SJO MEX CUN PBM CUR AUA POS BGI JFK BOS IAD ORD ATL MIA DTW MSP SLC
        DEN IAH AUS LAS PDX SFO LAX YYZ YUL YYC YEG YVR NRT ICN HKG PVG PEK TPE SIN KUL DPS CGK MNL BKK DEL BOM BLR HYD
        DXB RUH CAI ACC LOS CPT JNB NBO EBB KGL DAR NBJ @EUR2`,
    },
    fleet: 'E75 E90 295 738 32Q 332 333 772 77W 789 781',
    alliance: 'skyteam',
    partners: 'G3 LA',
    holds: true,
    product: {
      economy: ['Light', 'Standard', 'Flex'],
      premium_economy: 'Premium Comfort',
      business: 'World Business Class',
      businessEverywhere: true,
    },
  },
  {
    code: 'BA',
    currency: 'USD',
    hubs: 'LHR LGW LCY',
    reach: 3,
    routes: {
      LHR: `GRU GIG EZE SCL MEX MIA JFK EWR BOS IAD PHL BWI PIT ORD ATL RDU BNA CLT DFW AUS IAH DEN PHX LAS SEA PDX SFO
        SAN LAX MSY YYZ YUL YVR YYC NAS BGI HND HKG PVG SIN KUL BKK DEL BOM BLR MAA HYD MLE DXB AUH DOH RUH JED KWI
        BAH AMM TLV CAI RAK ACC LOS NBO JNB CPT @EUR2`,
      LGW: 'MCO TPA CUN PUJ MBJ BGI SJO MRU',
      LCY: 'AMS ZRH FRA GVA DUB',
    },
    fleet: '319 320 32N 321 32Q 772 77W 788 789 351 388',
    fleetAt: { LCY: 'E90' },
    alliance: 'oneworld',
    partners: 'LA',
    holds: true,
    product: {
      economy: ['Economy Basic', 'Economy Standard', 'Economy Flex'],
      premium_economy: 'World Traveller Plus',
      business: 'Club World',
      businessEverywhere: true,
      first: 'First',
    },
  },
  {
    code: 'VS',
    currency: 'USD',
    hubs: 'LHR MAN',
    routes: {
      LHR: 'GRU JFK BOS IAD ATL MIA MCO SEA SFO LAX LAS BGI MBJ DEL BOM BLR JNB LOS MLE DXB RUH ICN YYZ',
      MAN: 'MCO ATL JFK BGI',
    },
    fleet: '333 339 351 789',
    alliance: 'skyteam',
    product: {
      economy: ['Economy Light', 'Economy Classic', 'Economy Delight'],
      premium_economy: 'Premium',
      business: 'Upper Class',
    },
  },
  {
    code: 'EI',
    currency: 'EUR',
    hubs: 'DUB',
    reach: 3,
    routes: {
      DUB: `JFK EWR BOS IAD PHL ORD MCO MIA SFO LAX SEA YYZ DEN MSP LAS CLE BNA LHR LGW MAN EDI BHX GLA BRS CDG AMS FRA MUC
        MAD BCN AGP LIS FAO FCO MXP ZRH GVA BRU CPH VIE`,
    },
    fleet: 'AT7 320 32N 32Q 332 333',
    partners: 'AA BA IB B6',
    product: { economy: ['Saver', 'Smart', 'Flex'], business: 'Business Class' },
  },
  {
    code: 'LH',
    currency: 'EUR',
    hubs: 'FRA MUC',
    reach: 3,
    routes: {
      FRA: `GRU GIG EZE BOG MEX CUN PTY JFK EWR BOS IAD PHL ORD ATL MIA MCO DTW DFW AUS IAH DEN MSP STL SEA SFO LAX YYZ
        YUL YVR YYC HND ICN HKG PVG PEK SIN BKK DEL BOM BLR MAA HYD DXB RUH KWI BEY AMM TLV CAI ADD JNB CPT WDH NBO LOS
        NBJ ALG TUN CMN ALA GYD TBS @EUR2 KRK SOF LJU ZAG GOT LUX`,
      MUC: `GRU MEX JFK EWR BOS IAD CLT ORD DEN MIA SFO LAX SAN YYZ YUL YVR HND ICN HKG PVG PEK SIN BKK DEL BOM BLR DXB
        CPT JNB @EUR2 KRK SOF LJU ZAG`,
    },
    fleet: 'CR9 E90 319 320 32N 321 32Q 333 359 388 789',
    alliance: 'star',
    partners: 'LA',
    holds: true,
    product: { ...lufthansaGroup, first: 'First Class' },
  },
  {
    code: 'LX',
    currency: 'EUR',
    hubs: 'ZRH GVA',
    reach: 2,
    routes: {
      ZRH: `GRU JFK EWR BOS IAD ORD MIA YYZ YUL SFO LAX SJO NRT ICN HKG PVG SIN BKK DEL BOM DXB MCT TLV CAI JNB NBO
        DAR @EUR2`,
      GVA: 'JFK LHR LIS MAD BCN ATH',
    },
    fleet: 'E90 223 320 32N 321 333 77W 359',
    alliance: 'star',
    partners: 'LA',
    product: { ...lufthansaGroup, first: 'SWISS First' },
  },
  {
    code: 'OS',
    currency: 'EUR',
    hubs: 'VIE',
    reach: 1,
    routes: { VIE: 'JFK EWR IAD ORD BOS LAX YUL NRT BKK CAI TLV AMM MLE MRU @EUR2 KRK SOF' },
    fleet: 'E95 320 32N 321 772 763 789',
    alliance: 'star',
    product: lufthansaGroup,
  },
  {
    code: 'SN',
    currency: 'EUR',
    hubs: 'BRU',
    reach: 1,
    routes: { BRU: 'JFK IAD ACC ABJ DSS KGL EBB NBO NBJ TLV @EUR2' },
    fleet: '319 320 32N 333',
    alliance: 'star',
    product: lufthansaGroup,
  },
  {
    code: 'AZ',
    currency: 'EUR',
    hubs: 'FCO LIN',
    reach: 3,
    routes: {
      FCO: 'GRU GIG EZE JFK BOS MIA IAD SFO LAX ORD YYZ HND BKK DEL RUH JED TLV CAI ALG TUN ACC DSS @EUR1 NCE MRS GVA OTP',
      LIN: 'LHR LCY CDG AMS FRA BRU',
    },
    fleet: '223 319 320 32N 32Q 332 339 359',
    partners: 'LH LX OS SN UA AC TP G3',
    product: {
      economy: ['Light', 'Classic', 'Flex'],
      premium_economy: 'Premium Economy',
      business: 'Superior',
      businessEverywhere: true,
    },
  },
  {
    code: 'SK',
    currency: 'EUR',
    hubs: 'CPH ARN OSL',
    reach: 3,
    routes: {
      CPH: 'EWR JFK IAD ORD BOS MIA ATL SFO LAX SEA YYZ NRT BKK PVG ICN DEL @EUR2',
      ARN: 'EWR JFK MIA @EUR1',
      OSL: 'EWR @EUR1',
    },
    fleet: 'CR9 320 32N 32Q 333 359',
    alliance: 'skyteam',
    product: {
      economy: ['Go Light', 'Go Smart', 'Go Flex'],
      premium_economy: 'SAS Plus',
      business: 'SAS Business',
    },
  },
  {
    code: 'AY',
    currency: 'EUR',
    hubs: 'HEL',
    reach: 1,
    routes: { HEL: 'JFK ORD DFW LAX MIA NRT HND KIX NGO ICN HKG PVG BKK SIN DEL DOH DXB @EUR2 TLL RIX VNO' },
    fleet: 'AT7 E90 319 320 321 333 359',
    alliance: 'oneworld',
    product: {
      economy: ['Superlight', 'Classic', 'Flex'],
      premium_economy: 'Premium Economy',
      business: 'Business Class',
      businessEverywhere: true,
    },
  },
  {
    code: 'LO',
    currency: 'EUR',
    hubs: 'WAW',
    reach: 3,
    routes: { WAW: 'JFK EWR ORD MIA LAX YYZ ICN NRT DEL TAS TLV BEY CAI TBS EVN @EUR2 VNO RIX TLL SOF ZAG' },
    fleet: 'E75 E90 295 738 7M8 788 789',
    alliance: 'star',
    product: {
      economy: ['Saver', 'Standard', 'Flex'],
      premium_economy: 'Premium Economy',
      business: 'Business',
    },
  },
  {
    code: 'A3',
    currency: 'EUR',
    hubs: 'ATH SKG',
    reach: 3,
    routes: { ATH: 'CAI TLV AMM BEY DXB RUH JED TBS EVN LCA @EUR2' },
    fleet: 'AT7 320 32N 32Q',
    alliance: 'star',
    product: { economy: ['Light', 'Flex', 'ComfortFlex'], business: 'Business', businessEverywhere: true },
  },
];
