/** The page's icon: a gate in a wall. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2b5f8a"/><path d="M9 26V14a7 7 0 0 1 14 0v12h-4V14a3 3 0 0 0-6 0v12z" fill="#fff"/></svg>`;
