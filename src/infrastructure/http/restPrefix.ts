/** What the paths of the documented REST endpoints are below. */
export const restPrefix = '/api/v1';
