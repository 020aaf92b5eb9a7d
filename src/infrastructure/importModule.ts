/**
 * Imports the module whose file has this URL. What is bundled cannot do it for itself: there the loader of the bundle does
 * (`bundledFiles.ts`).
 */
export const importModule = (url: string): Promise<unknown> => import(url);
