/** The key of the table of assets. The term index of memory is kept for keys with its prefix only. */
export const ASSETS_KEY = 'ai:knowledge:assets';
