import type { Airline } from '../airline.ts';

const usEconomy = ['Basic Economy', 'Main Cabin', 'Main Cabin Flexible'] as const;

/** Airlines of North America. Hubs and routes as published around 2025. */
export const northAmericanAirlines: readonly Airline[] = [
  {
    code: 'AM',
    currency: 'USD',
    hubs: 'MEX MTY GDL',
    reach: 3,
    routes: {
      MEX: `GRU EZE SCL LIM BOG MDE CTG UIO SJO GUA SAL HAV MIA MCO JFK ORD LAX SFO IAH DFW ATL SEA LAS AUS DEN DTW RDU
        YYZ YUL YVR MAD BCN CDG LHR FCO AMS NRT ICN`,
      MTY: 'ATL LAX MIA',
      GDL: 'LAX ORD SFO',
    },
    fleet: 'E90 738 7M8 7M9 788 789',
    alliance: 'skyteam',
    product: {
      economy: ['Básica', 'Clásica', 'Flexible'],
      premium_economy: 'AM Plus',
      business: 'Clase Premier',
      businessEverywhere: true,
    },
  },
  {
    code: 'AA',
    currency: 'USD',
    hubs: 'DFW CLT MIA ORD PHL PHX JFK LAX DCA LGA',
    reach: 3,
    routes: {
      MIA: `GRU GIG BSB MAO EZE MVD ASU SCL LIM BOG MDE CLO CTG BAQ PEI UIO GYE VVI GEO PTY SJO SAL GUA MGA SAP XPL BZE
        CUN MEX HAV SDQ PUJ SJU MBJ KIN NAS AUA CUR POS BGI LHR MAD BCN CDG FCO YYZ`,
      DFW: `GRU EZE SCL LIM BOG MEX CUN GDL MTY SJD PVR LHR CDG MAD BCN FCO DUB FRA NRT HND ICN PVG SYD AKL BNE YYZ YYC
        YVR HNL OGG SJU`,
      JFK: 'GRU GIG EZE LHR MAD MXP CDG FCO BCN ATH HND DEL MEX CUN PUJ SJU',
      PHL: 'LHR MAD CDG BCN FCO LIS AMS ZRH ATH VCE NAP EDI DUB CUN PUJ SJU',
      CLT: 'LHR MAD FRA MUC FCO CUN PUJ SJU NAS MBJ',
      ORD: 'LHR CDG BCN FCO ATH DUB VCE CUN',
      LAX: 'LHR HND NRT SYD AKL PVG CUN SJD PVR',
      PHX: 'LHR SJD PVR CUN MEX',
    },
    fleet: 'E75 319 320 321 738 7M8 772 77W 788 789',
    alliance: 'oneworld',
    partners: 'G3 EI JA',
    holds: true,
    product: {
      economy: usEconomy,
      premium_economy: 'Premium Economy',
      business: 'Flagship Business',
      businessEverywhere: true,
      first: 'Flagship First',
    },
  },
  {
    code: 'UA',
    currency: 'USD',
    hubs: 'ORD EWR IAH DEN SFO LAX IAD',
    reach: 3,
    routes: {
      EWR: `GRU EZE LHR EDI DUB LIS OPO PDL FNC MAD BCN AGP PMI CDG NCE FRA MUC BER ZRH GVA BRU AMS MXP FCO VCE NAP ATH
        TLV DEL HND NRT JNB CPT DSS RAK KEF CUN PUJ SJU SDQ MBJ AUA PTY BOG YYZ YUL`,
      IAH: `GRU GIG EZE SCL LIM BOG UIO PTY SJO GUA SAL MGA SAP XPL BZE MEX CUN GDL MTY LHR FRA MUC AMS NRT SYD AKL POS
        AUA SJU`,
      IAD: 'GRU LHR CDG FRA MUC ZRH GVA BRU AMS MAD BCN LIS FCO ATH DUB EDI ACC LOS CPT AMM HND NRT SJU CUN',
      ORD: 'GRU LHR EDI DUB CDG FRA MUC ZRH BRU AMS LIS BCN FCO MXP ATH HND NRT HKG CUN YYZ YVR YYC SJU',
      SFO: `LHR CDG FRA MUC ZRH AMS BCN FCO TLV DEL HND NRT KIX ICN TPE HKG PVG PEK SIN MNL SYD MEL BNE AKL PPT CUN YVR
        YYC HNL OGG KOA LIH`,
      DEN: 'LHR FRA MUC FCO NRT CUN SJD YYC',
      LAX: 'LHR HND NRT SYD MEL HKG PVG CUN',
    },
    fleet: 'E75 319 320 738 7M8 7M9 32Q 763 772 77W 788 789 781',
    alliance: 'star',
    partners: 'AD',
    holds: true,
    product: {
      economy: ['Basic Economy', 'Economy', 'Economy Fully Refundable'],
      premium_economy: 'Premium Plus',
      business: 'United Polaris',
      businessEverywhere: true,
    },
  },
  {
    code: 'DL',
    currency: 'USD',
    hubs: 'ATL DTW MSP JFK LGA SLC SEA BOS LAX',
    reach: 3,
    routes: {
      ATL: `GRU GIG EZE SCL LIM BOG CTG UIO PTY SJO GUA SAL MEX CUN GDL MTY PUJ SJU MBJ NAS AUA CUR BGI LHR EDI DUB CDG
        NCE AMS FRA MUC STR BRU ZRH MAD BCN LIS MXP FCO VCE NAP ATH CPH TLV JNB CPT LOS ACC DSS ICN HND`,
      JFK: `GRU EZE LHR EDI SNN DUB CDG NCE AMS FRA MUC BER BRU ZRH GVA MAD BCN AGP PMI LIS MXP FCO VCE NAP CTA ATH CPH
        ARN PRG TLV LOS ACC DSS MEX CUN PUJ SDQ SJU BOG`,
      BOS: 'LHR EDI DUB CDG AMS BCN FCO LIS ATH KEF CUN',
      DTW: 'LHR CDG AMS FRA MUC FCO KEF ICN HND PVG CUN',
      MSP: 'LHR CDG AMS DUB KEF ICN HND CUN',
      SEA: 'LHR CDG AMS BCN ICN HND PVG TPE CUN',
      LAX: 'CDG HND SYD AKL BNE PPT CUN SJD',
      SLC: 'LHR CDG AMS CUN SJD MEX',
    },
    fleet: 'E75 223 319 320 321 32Q 738 763 332 333 339 359',
    alliance: 'skyteam',
    partners: 'LA VS AS',
    holds: true,
    product: {
      economy: ['Delta Main Basic', 'Delta Main Classic', 'Delta Main Extra'],
      premium_economy: 'Delta Premium Select',
      business: 'Delta One',
      businessEverywhere: true,
    },
  },
  {
    code: 'B6',
    currency: 'USD',
    hubs: 'JFK BOS FLL MCO',
    reach: 2,
    routes: {
      JFK: 'SJU SDQ PUJ CUN MBJ KIN NAS AUA CUR BGI POS GEO CTG LHR LGW CDG AMS DUB EDI MAD GYE SJO',
      BOS: 'LHR LGW CDG AMS DUB EDI SJU PUJ CUN AUA',
      FLL: 'SJU CUN NAS MBJ PUJ CTG MDE LIM SJO GUA KIN',
      MCO: 'SJU CUN PUJ',
    },
    fleet: '223 320 321 32Q',
    partners: 'AD QR EI',
    product: { economy: ['Blue Basic', 'Blue', 'Blue Extra'], business: 'Mint', businessEverywhere: true },
  },
  {
    code: 'AS',
    currency: 'USD',
    hubs: 'SEA PDX SFO LAX ANC',
    reach: 3,
    routes: { SEA: 'CUN SJD PVR NRT ICN', LAX: 'SJD PVR CUN SJO HNL OGG KOA LIH', SFO: 'SJD PVR' },
    fleet: 'E75 738 7M9 332',
    alliance: 'oneworld',
    product: {
      economy: ['Saver', 'Main', 'Main Refundable'],
      premium_economy: 'Premium Class',
      business: 'First Class',
      businessEverywhere: true,
    },
  },
  {
    code: 'WN',
    currency: 'USD',
    hubs: 'DAL MDW BWI DEN LAS PHX HOU STL',
    reach: 3,
    routes: { BWI: 'CUN MBJ PUJ SJU', HOU: 'CUN SJD BZE', FLL: 'SJU' },
    fleet: '738 7M8',
    product: { economy: ['Basic', 'Choice', 'Choice Extra'] },
  },
  {
    code: 'AC',
    currency: 'USD',
    hubs: 'YYZ YUL YVR YYC',
    reach: 3,
    routes: {
      YYZ: `GRU EZE SCL BOG LIM SJO CUN PUJ HAV MBJ MEX LHR MAN EDI DUB CDG FRA MUC ZRH VIE BRU CPH LIS MAD BCN FCO MXP
        VCE ATH TLV DEL DXB HND ICN HKG @US2`,
      YUL: `GRU LHR CDG LYS NCE TLS MRS FRA MUC ZRH GVA BRU AMS CPH LIS MAD BCN AGP FCO MXP VCE ATH CMN ALG TUN DXB DEL
        NRT BOG CUN PUJ MEX @US1`,
      YVR: 'LHR CDG FRA ZRH NRT HND KIX ICN HKG TPE PVG PEK SIN MNL BKK SYD BNE AKL DEL MEX CUN PVR SJD @US1',
      YYC: 'LHR FRA CUN LAX SFO DEN LAS IAH EWR',
    },
    fleet: 'DH4 CR9 223 319 320 321 7M8 333 77W 788 789',
    alliance: 'star',
    holds: true,
    product: {
      economy: ['Basic', 'Standard', 'Flex'],
      premium_economy: 'Premium Economy',
      business: 'Signature Class',
      businessEverywhere: true,
    },
  },
];
