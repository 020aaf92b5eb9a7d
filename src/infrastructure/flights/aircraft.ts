export interface AircraftType {
  /** IATA aircraft type code. */
  readonly iataCode: string;
  readonly name: string;
}

/** What decides which flights a type can make. */
export interface AircraftPerformance extends AircraftType {
  readonly body: 'turboprop' | 'regional' | 'narrow' | 'wide';
  /** The longest routes on which airlines use it, which are shorter than what it could fly empty in still air. */
  readonly rangeKm: number;
}

type Row = readonly [iataCode: string, name: string, body: AircraftPerformance['body'], rangeKm: number];

const rows: readonly Row[] = [
  ['AT7', 'ATR 72', 'turboprop', 1500],
  ['DH4', 'De Havilland Canada Dash 8-400', 'turboprop', 1500],
  ['CR9', 'Bombardier CRJ900', 'regional', 2500],
  ['E75', 'Embraer 175', 'regional', 2700],
  ['E90', 'Embraer 190', 'regional', 3300],
  ['E95', 'Embraer 195', 'regional', 3300],
  ['295', 'Embraer 195-E2', 'regional', 4400],
  ['223', 'Airbus A220-300', 'narrow', 4800],
  ['319', 'Airbus A319', 'narrow', 4700],
  ['320', 'Airbus A320', 'narrow', 4700],
  ['321', 'Airbus A321', 'narrow', 4500],
  ['32N', 'Airbus A320neo', 'narrow', 5800],
  ['32Q', 'Airbus A321neo', 'narrow', 7400],
  ['738', 'Boeing 737-800', 'narrow', 5600],
  ['7M8', 'Boeing 737 MAX 8', 'narrow', 6100],
  ['7M9', 'Boeing 737 MAX 9', 'narrow', 5600],
  ['763', 'Boeing 767-300', 'wide', 9800],
  ['332', 'Airbus A330-200', 'wide', 12400],
  ['333', 'Airbus A330-300', 'wide', 11700],
  ['339', 'Airbus A330-900neo', 'wide', 13300],
  ['359', 'Airbus A350-900', 'wide', 15500],
  ['351', 'Airbus A350-1000', 'wide', 16000],
  ['388', 'Airbus A380-800', 'wide', 14800],
  ['772', 'Boeing 777-200ER', 'wide', 13000],
  ['77W', 'Boeing 777-300ER', 'wide', 14500],
  ['788', 'Boeing 787-8', 'wide', 13500],
  ['789', 'Boeing 787-9', 'wide', 14700],
  ['781', 'Boeing 787-10', 'wide', 11900],
];

const types = new Map<string, AircraftPerformance>(
  rows.map(([iataCode, name, body, rangeKm]) => [iataCode, { iataCode, name, body, rangeKm }]),
);

/** @throws Error when the table has no such type: the fleets in our own tables name only types it has. */
export function aircraftOf(iataCode: string): AircraftPerformance {
  const type = types.get(iataCode);
  if (!type) throw new Error(`No aircraft has the code ${iataCode}`);
  return type;
}
