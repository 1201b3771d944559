/** Time zones for tests. */

/** Zones of all continents, with every kind of clock change and every offset. */
export const zones = [
  ...['Africa/Cairo', 'Africa/Casablanca', 'Africa/Lagos', 'America/Adak', 'America/Anchorage', 'America/Asuncion'],
  ...[
    'America/Bogota',
    'America/Chicago',
    'America/Denver',
    'America/Halifax',
    'America/Havana',
    'America/Los_Angeles',
  ],
  ...[
    'America/New_York',
    'America/Nuuk',
    'America/Phoenix',
    'America/Santiago',
    'America/Sao_Paulo',
    'America/St_Johns',
  ],
  ...['Antarctica/Troll', 'Asia/Beirut', 'Asia/Dubai', 'Asia/Gaza', 'Asia/Jerusalem', 'Asia/Kabul', 'Asia/Kathmandu'],
  ...['Asia/Kolkata', 'Asia/Shanghai', 'Asia/Tokyo', 'Atlantic/Azores', 'Australia/Adelaide', 'Australia/Eucla'],
  ...['Australia/Lord_Howe', 'Australia/Sydney', 'Europe/Berlin', 'Europe/Dublin', 'Europe/London', 'Pacific/Apia'],
  ...['Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Kiritimati', 'UTC'],
];
