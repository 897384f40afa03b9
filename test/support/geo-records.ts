/** 81.2.69.142, as each publisher describes it. */
export const stAlbans = {
  maxmind: {
    city: { geoname_id: 2_638_867, names: { de: 'St Albans', en: 'St Albans' } },
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { geoname_id: 2_635_167, iso_code: 'GB', names: { en: 'United Kingdom' } },
    location: { accuracy_radius: 50, latitude: 51.75, longitude: -0.33, time_zone: 'Europe/London' },
    registered_country: { iso_code: 'US' },
    subdivisions: [{ iso_code: 'ENG', names: { en: 'England' } }, { iso_code: 'HRT' }],
  },
  dbip: {
    city: { names: { en: 'St Albans' } },
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'GB', is_in_european_union: false, names: { en: 'United Kingdom' } },
    location: { latitude: 51.75, longitude: -0.33 },
    subdivisions: [{ names: { en: 'England' } }],
  },
  ipinfo: {
    city: 'St Albans',
    country: 'GB',
    lat: '51.75000',
    lng: '-0.33000',
    postal_code: 'AL1',
    region: 'England',
    timezone: 'Europe/London',
  },
} as const;
