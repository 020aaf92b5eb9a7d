/** An airline as responses name it. */
export interface CarrierName {
  /** IATA airline designator. */
  readonly iataCode: string;
  readonly name: string;
}

type Row = readonly [iataCode: string, name: string, colour: string];

// Designator, name, and the ground of the badge we draw for it (near the airline's own colour; no logo is copied).
const rows: readonly Row[] = [
  ['LA', 'LATAM Airlines', '#1b0088'],
  ['JJ', 'LATAM Airlines Brasil', '#1b0088'],
  ['G3', 'GOL Linhas Aéreas', '#f26a21'],
  ['AD', 'Azul Linhas Aéreas Brasileiras', '#041e42'],
  ['AR', 'Aerolíneas Argentinas', '#0079b8'],
  ['FO', 'Flybondi', '#b58900'],
  ['JA', 'JetSMART', '#163a63'],
  ['H2', 'SKY Airline', '#6d2b8f'],
  ['OB', 'Boliviana de Aviación', '#00529b'],
  ['ZP', 'Paranair', '#0f4c81'],
  ['AV', 'Avianca', '#da291c'],
  ['CM', 'Copa Airlines', '#005daa'],
  ['AM', 'Aeroméxico', '#0b2343'],
  ['AA', 'American Airlines', '#0d4a7c'],
  ['UA', 'United Airlines', '#0033a0'],
  ['DL', 'Delta Air Lines', '#9b1631'],
  ['B6', 'JetBlue', '#003876'],
  ['AS', 'Alaska Airlines', '#01426a'],
  ['WN', 'Southwest Airlines', '#304cb2'],
  ['AC', 'Air Canada', '#c8102e'],
  ['TP', 'TAP Air Portugal', '#00754a'],
  ['IB', 'Iberia', '#b3001b'],
  ['UX', 'Air Europa', '#0050a0'],
  ['AF', 'Air France', '#002157'],
  ['KL', 'KLM Royal Dutch Airlines', '#0077a8'],
  ['BA', 'British Airways', '#075aaa'],
  ['VS', 'Virgin Atlantic', '#a6192e'],
  ['EI', 'Aer Lingus', '#006272'],
  ['LH', 'Lufthansa', '#05164d'],
  ['LX', 'SWISS', '#c8102e'],
  ['OS', 'Austrian Airlines', '#c8102e'],
  ['SN', 'Brussels Airlines', '#00235f'],
  ['AZ', 'ITA Airways', '#00509e'],
  ['SK', 'Scandinavian Airlines', '#000099'],
  ['AY', 'Finnair', '#0b1560'],
  ['LO', 'LOT Polish Airlines', '#11397e'],
  ['A3', 'Aegean Airlines', '#1a3e72'],
  ['FR', 'Ryanair', '#073590'],
  ['U2', 'easyJet', '#c44d00'],
  ['TK', 'Turkish Airlines', '#c70a0c'],
  ['EK', 'Emirates', '#c60c30'],
  ['QR', 'Qatar Airways', '#5c0632'],
  ['EY', 'Etihad Airways', '#7a5c1e'],
  ['SV', 'Saudia', '#00573f'],
  ['MS', 'EgyptAir', '#00205b'],
  ['LY', 'EL AL Israel Airlines', '#00205b'],
  ['AT', 'Royal Air Maroc', '#a6192e'],
  ['ET', 'Ethiopian Airlines', '#00693e'],
  ['SA', 'South African Airways', '#00247d'],
  ['DT', 'TAAG Angola Airlines', '#c8102e'],
  ['MK', 'Air Mauritius', '#c8102e'],
  ['SQ', 'Singapore Airlines', '#0b2343'],
  ['CX', 'Cathay Pacific', '#005d63'],
  ['JL', 'Japan Airlines', '#b3001b'],
  ['NH', 'All Nippon Airways', '#13448f'],
  ['KE', 'Korean Air', '#00256c'],
  ['CA', 'Air China', '#c8102e'],
  ['MU', 'China Eastern Airlines', '#003b71'],
  ['BR', 'EVA Air', '#00613d'],
  ['TG', 'Thai Airways', '#4b1e6f'],
  ['MH', 'Malaysia Airlines', '#00205b'],
  ['VN', 'Vietnam Airlines', '#005f6e'],
  ['AI', 'Air India', '#a6192e'],
  ['QF', 'Qantas', '#c8102e'],
  ['NZ', 'Air New Zealand', '#111111'],
];

const names = new Map<string, CarrierName>(rows.map(([iataCode, name]) => [iataCode, { iataCode, name }]));
const colours = new Map<string, string>(rows.map(([iataCode, , colour]) => [iataCode, colour]));

/** @throws Error when the table has no such airline: our own tables name only airlines it has. */
export function carrierOf(iataCode: string): CarrierName {
  const carrier = names.get(iataCode);
  if (!carrier) throw new Error(`No carrier has the code ${iataCode}`);
  return carrier;
}

/** Path under which the REST face serves an airline's badge: what `logo_symbol_url` points to below PUBLIC_URL. */
export const carrierLogoPath = (iataCode: string) => `/logos/${iataCode}.svg`;

/**
 * A square badge with the designator, as SVG text. Our own drawing: airlines' logos are theirs.
 * @returns null for anything but two capital letters or digits, so that nothing of a request reaches the markup
 */
export function carrierLogoSvg(iataCode: string): string | null {
  if (!/^[A-Z0-9]{2}$/.test(iataCode)) return null;
  const colour = colours.get(iataCode) ?? '#4a5568';
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64" role="img">' +
    `<title>${iataCode}</title><rect width="64" height="64" rx="14" fill="${colour}"/>` +
    '<text x="32" y="42" font-family="Helvetica,Arial,sans-serif" font-size="28" font-weight="700" ' +
    `text-anchor="middle" fill="#ffffff">${iataCode}</text></svg>`
  );
}
