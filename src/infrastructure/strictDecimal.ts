import { Big } from 'big.js';

/**
 * big.js in strict mode: it takes no JavaScript numbers and refuses conversions that would lose digits. A constructor
 * of its own, so that no other user of the library is affected.
 */
export const StrictDecimal = Big();
StrictDecimal.strict = true;
