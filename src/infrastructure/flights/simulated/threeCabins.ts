import type { CabinProduct } from './airline.ts';

/** What many network airlines sell, under names that none of them owns. */
export const threeCabins: CabinProduct = {
  economy: ['Economy Lite', 'Economy Value', 'Economy Flex'],
  premium_economy: 'Premium Economy',
  business: 'Business Class',
  businessEverywhere: true,
};
