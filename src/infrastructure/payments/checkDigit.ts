const firstWeight = 2;
const lastWeight = 9;

/** Weighted sum of digits, right to left, weights 2 to 9 over and over. */
function weightedSum(digits: string): number {
  let weight = firstWeight;
  let sum = 0;
  for (const digit of [...digits].reverse()) {
    sum += Number(digit) * weight;
    weight = weight === lastWeight ? firstWeight : weight + 1;
  }
  return sum;
}

/** Modulo 10 check digit of a field of the linha digitável (weights 2 and 1, digits of each product added up). */
export function moduloTen(digits: string): string {
  let sum = 0;
  [...digits].reverse().forEach((digit, position) => {
    const product = Number(digit) * (position % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  });
  return String((10 - (sum % 10)) % 10);
}

/** Modulo 11 check digit in which 10 and 11 become `replacement`. */
export function moduloEleven(digits: string, replacement: '0' | '1'): string {
  const digit = 11 - (weightedSum(digits) % 11);
  return digit > 9 ? replacement : String(digit);
}
