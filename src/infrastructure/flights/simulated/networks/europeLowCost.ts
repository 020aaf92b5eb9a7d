import type { Airline } from '../airline.ts';

/** Airlines of Europe that fly from point to point, at low cost. Bases and routes as published around 2025. */
export const europeanLowCostAirlines: readonly Airline[] = [
  {
    code: 'FR',
    currency: 'EUR',
    hubs: 'STN DUB BGY',
    reach: 3,
    routes: {
      STN: 'DUB BGY MAD BCN AGP PMI ALC SVQ OPO LIS FAO MRS TLS BER CGN VIE PRG BUD KRK BTS SOF OTP CIA NAP BLQ PSA PMO',
      DUB: 'STN LTN MAN EDI GLA BRS BGY CIA MAD BCN AGP ALC PMI FAO LIS OPO BVA BER PRG BUD KRK VIE',
      BGY: 'STN DUB MAD BCN PMI LIS OPO BVA BER BUD PRG KRK SOF OTP ATH',
    },
    fleet: '738 7M8',
    noConnections: true,
    product: { economy: ['Basic', 'Regular', 'Flexi Plus'] },
  },
  {
    code: 'U2',
    currency: 'EUR',
    hubs: 'LGW LTN MXP GVA',
    reach: 2,
    routes: {
      LGW: 'AMS CDG NCE BCN MAD AGP PMI ALC LIS FAO OPO GVA BER MXP VCE NAP ATH PRG CPH KEF SVQ TFS',
      LTN: 'AMS CDG NCE BCN PMI AGP LIS FAO GVA BER MXP',
      MXP: 'CDG ORY AMS LGW BCN MAD LIS PMI ATH BER PRG',
      GVA: 'LGW LTN CDG BCN LIS OPO MAD NCE AMS BER',
    },
    fleet: '319 320 32N 32Q',
    noConnections: true,
    product: { economy: ['Standard', 'Standard Plus', 'Flexi'] },
  },
];
