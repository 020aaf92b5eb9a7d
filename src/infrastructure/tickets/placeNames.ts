import { findAirport } from '../flights/airports.ts';

/** Cities whose name in the airport data is not the one that Brazilians use. */
const cities: Readonly<Record<string, string>> = {
  'Addis Ababa': 'Adis Abeba',
  Algiers: 'Argel',
  Amman: 'Amã',
  Amsterdam: 'Amsterdã',
  Asunción: 'Assunção',
  Athens: 'Atenas',
  Bangkok: 'Bangcoc',
  Basel: 'Basileia',
  Beijing: 'Pequim',
  Beirut: 'Beirute',
  Belgrade: 'Belgrado',
  Berlin: 'Berlim',
  Bologna: 'Bolonha',
  Brussels: 'Bruxelas',
  Bucharest: 'Bucareste',
  Budapest: 'Budapeste',
  'Cape Town': 'Cidade do Cabo',
  Copenhagen: 'Copenhague',
  Delhi: 'Délhi',
  Edinburgh: 'Edimburgo',
  Florence: 'Florença',
  'Frankfurt am Main': 'Frankfurt',
  Geneva: 'Genebra',
  Gothenburg: 'Gotemburgo',
  'Guatemala City': 'Cidade da Guatemala',
  Hamburg: 'Hamburgo',
  Hanoi: 'Hanói',
  Helsinki: 'Helsinque',
  Istanbul: 'Istambul',
  Jakarta: 'Jacarta',
  Johannesburg: 'Joanesburgo',
  Kraków: 'Cracóvia',
  Köln: 'Colônia',
  Lisbon: 'Lisboa',
  London: 'Londres',
  Luxembourg: 'Luxemburgo',
  Madrid: 'Madri',
  Managua: 'Manágua',
  Marseille: 'Marselha',
  'Mexico City': 'Cidade do México',
  Milan: 'Milão',
  Montevideo: 'Montevidéu',
  Moscow: 'Moscou',
  Munich: 'Munique',
  Nairobi: 'Nairóbi',
  Naples: 'Nápoles',
  'New Orleans': 'Nova Orleans',
  'New York City': 'Nova York',
  'Panama City': 'Cidade do Panamá',
  Philadelphia: 'Filadélfia',
  'Port of Spain': 'Porto de Espanha',
  Prague: 'Praga',
  Riyadh: 'Riad',
  Rome: 'Roma',
  Seoul: 'Seul',
  Sevilla: 'Sevilha',
  Shanghai: 'Xangai',
  Singapore: 'Singapura',
  Sofia: 'Sófia',
  Stockholm: 'Estocolmo',
  Tokyo: 'Tóquio',
  Tunis: 'Túnis',
  Turin: 'Turim',
  Valencia: 'Valência',
  Venice: 'Veneza',
  Vienna: 'Viena',
  Warsaw: 'Varsóvia',
  Zürich: 'Zurique',
};

/** "Lisboa (LIS)": the city that an airport serves, in Portuguese, and its code. */
export function placeText(iataCode: string): string {
  const city = findAirport(iataCode)?.cityName;
  if (city === undefined) return iataCode;
  return `${Object.hasOwn(cities, city) ? cities[city] : city} (${iataCode})`;
}

/** The data's names end so, a few with another name after a comma. */
const englishName = /^(.+?)( International)? (?:Airport|Aerodrome|Aeroporto)(, .+)?$/;

/** "Aeroporto Internacional Rio de Janeiro-Galeão" of its English name; names of another form stay as they are. */
export function airportText(name: string): string {
  const [, own, international, addition = ''] = englishName.exec(name) ?? [];
  return own === undefined ? name : `Aeroporto${international ? ' Internacional' : ''} ${own}${addition}`;
}
