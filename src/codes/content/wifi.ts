import { type ContentType, type Given, required, textFact } from './content-type.ts';
import { escapeField, parseFields, unescapeField } from './payload-syntax.ts';
import { asText, type TextContent, trimEndOf } from './plain-text.ts';

export interface WifiContent {
  kind: 'wifi';
  networkName: string;
  password: string;
  security: 'WPA' | 'WEP' | 'WPA2-EAP' | 'none';
  isHidden: boolean;
  /** The user name of an enterprise network. */
  identity?: string;
  /** The normalized payload, for phones that join from it. */
  payload: string;
}

const texts = {
  networkName: { en: 'Network', de: 'Netzwerk', fr: 'Réseau', es: 'Red', pt: 'Rede', zh: '网络名称' },
  security: {
    en: 'Security',
    de: 'Sicherheit',
    fr: 'Sécurité',
    es: 'Seguridad',
    pt: 'Segurança',
    zh: '安全性',
  },
  userName: {
    en: 'User name',
    de: 'Benutzername',
    fr: 'Nom d’utilisateur',
    es: 'Nombre de usuario',
    pt: 'Nome de usuário',
    zh: '用户名',
  },
  password: { en: 'Password', de: 'Passwort', fr: 'Mot de passe', es: 'Contraseña', pt: 'Senha', zh: '密码' },
  openNetwork: {
    en: 'Open, no password needed',
    de: 'Offen, kein Passwort nötig',
    fr: 'Ouvert, sans mot de passe',
    es: 'Abierta, sin contraseña',
    pt: 'Aberta, sem senha',
    zh: '开放网络，无需密码',
  },
  hiddenNetwork: {
    en: 'This network is hidden. You may have to type its name.',
    de: 'Dieses Netzwerk ist verborgen. Der Name muss eventuell von Hand eingegeben werden.',
    fr: 'Ce réseau est masqué : il faudra peut-être saisir son nom.',
    es: 'Esta red está oculta. Quizá tengas que escribir su nombre.',
    pt: 'Esta rede é oculta. Talvez seja preciso digitar o nome dela.',
    zh: '这是隐藏网络，可能需要手动输入名称。',
  },
  copyPassword: {
    en: 'Copy password',
    de: 'Passwort kopieren',
    fr: 'Copier le mot de passe',
    es: 'Copiar contraseña',
    pt: 'Copiar senha',
    zh: '复制密码',
  },
  joinCode: {
    en: 'QR code to join this Wi-Fi network',
    de: 'QR-Code zum Verbinden mit diesem WLAN',
    fr: 'Code QR pour rejoindre ce réseau Wi-Fi',
    es: 'Código QR para conectarse a esta red wifi',
    pt: 'QR code para se conectar a esta rede Wi-Fi',
    zh: '用于加入此 Wi-Fi 网络的二维码',
  },
  joinWithAnother: {
    en: 'Another phone can join by scanning this code with its camera.',
    de: 'Ein anderes Handy verbindet sich, wenn es diesen Code mit der Kamera scannt.',
    fr: 'Un autre téléphone peut se connecter en scannant ce code avec son appareil photo.',
    es: 'Otro teléfono puede conectarse escaneando este código con la cámara.',
    pt: 'Outro celular pode se conectar lendo este código com a câmera.',
    zh: '用另一部手机的相机扫描此二维码即可加入。',
  },
  joinWithThis: {
    en: 'On this phone: pick the network in Settings, under Wi-Fi (iPhone) or Network & internet (Android), and enter the password.',
    de: 'Auf diesem Handy: das Netzwerk in den Einstellungen auswählen, unter WLAN (iPhone) oder Netzwerk & Internet (Android), und das Passwort eingeben.',
    fr: 'Sur ce téléphone : choisissez le réseau dans les réglages, sous Wi-Fi (iPhone) ou Réseau et Internet (Android), puis saisissez le mot de passe.',
    es: 'En este teléfono: elige la red en Ajustes, en Wi-Fi (iPhone) o en Red e Internet (Android), y escribe la contraseña.',
    pt: 'Neste celular: escolha a rede nos ajustes, em Wi-Fi (iPhone) ou em Rede e internet (Android), e digite a senha.',
    zh: '在本机加入：在“设置”的“无线局域网”（iPhone）或“网络和互联网”（Android）中选择该网络，然后输入密码。',
  },
};

export const wifi = {
  name: 'Wi-Fi',
  parse: parseWifi,
  form: {
    parts: [
      { name: 'networkName', label: 'Network name' },
      {
        name: 'security',
        label: 'Security',
        input: 'select',
        initial: 'WPA',
        choices: [
          ['WPA', 'WPA, WPA2 or WPA3'],
          ['WEP', 'WEP'],
          ['none', 'None'],
        ],
      },
      { name: 'password', label: 'Password', isSecret: true, hint: 'Anyone who scans the code can read it.' },
      { name: 'hidden', label: 'The network is hidden', input: 'checkbox' },
    ],
    compose: composeWifi,
    read: (parsed) =>
      parsed.kind === 'wifi'
        ? {
            networkName: parsed.networkName,
            password: parsed.password,
            security: parsed.security,
            hidden: parsed.isHidden ? 'on' : '',
          }
        : undefined,
    // A password may consist of spaces.
    errors: (given, { password }) => [
      ...required(given, 'networkName'),
      ...(given('security') !== 'none'
        ? required(() => password ?? '', 'password')
        : password
          ? [{ field: 'password', message: 'must be empty for a network without one' }]
          : []),
    ],
  },
  keep: (given) => ({ text: given('networkName') }),
  fill: () => ({ security: 'WPA' }),
  remedy: 'Write it like WIFI:T:WPA;S:network;P:password;;',
  shown: {
    kind: 'wifi',
    label: { en: 'Wi-Fi', de: 'WLAN', fr: 'Wi-Fi', es: 'Wifi', pt: 'Wi-Fi', zh: 'Wi-Fi' },
    icon: ['M2 9a15 15 0 0 1 20 0M5.5 13a10 10 0 0 1 13 0M9 16.5a5 5 0 0 1 6 0M12 20h.01'],
    heading: ({ networkName }) => networkName.trim(),
    /** A page cannot join a network, so it shows what to type, and a code for other phones to scan. */
    page: ({ networkName, password, security, isHidden, identity = '' }, { language }) => [
      {
        part: 'facts',
        facts: [
          textFact(texts.networkName[language], networkName),
          textFact(texts.security[language], security === 'none' ? texts.openNetwork[language] : security),
          textFact(texts.userName[language], identity),
          password === ''
            ? undefined
            : { name: texts.password[language], values: [{ text: password, look: 'secret' }] },
        ],
      },
      isHidden ? { part: 'quiet', text: texts.hiddenNetwork[language] } : undefined,
      password === ''
        ? undefined
        : { part: 'actions', buttons: [{ label: texts.copyPassword[language], copies: 'password' }] },
      {
        part: 'direct code',
        alt: texts.joinCode[language],
        text: texts.joinWithAnother[language],
        more: password === '' ? undefined : texts.joinWithThis[language],
      },
    ],
    facts: ({ networkName }) => [['Network', networkName]],
    /** A phone that is not online yet cannot open a share link. */
    direct: {
      hint: 'Joins at once and works offline. Scans are not counted. Print it again when the network changes.',
      linkHint: 'Opens a page with the network and its password. Needs mobile data. Scans are counted.',
      pictureHint:
        'The picture holds the network name and the password, so that phones can join directly. Print it again when they change.',
      scanText: {
        en: 'Scan to join the Wi-Fi',
        de: 'Scannen und ins WLAN',
        fr: 'Scannez pour le Wi-Fi',
        es: 'Escanea para usar el wifi',
        pt: 'Aponte a câmera para o Wi-Fi',
        zh: '扫码连接 Wi-Fi',
      },
    },
  },
  example: 'WIFI:T:WPA;S:Fernweh Guests;P:flat-white-2026;;',
} satisfies ContentType<WifiContent>;

const securities = new Map([
  ['none', 'nopass'],
  ['WEP', 'WEP'],
  ['WPA', 'WPA'],
]);

function composeWifi(given: Given): string {
  const security = securities.get(given('security')) ?? 'WPA';
  const password = given('password');
  return [
    `WIFI:T:${security}`,
    `S:${escapeField(given('networkName'))}`,
    ...(password && security !== 'nopass' ? [`P:${escapeField(password)}`] : []),
    ...(given('hidden') ? ['H:true'] : []),
    ';',
  ].join(';');
}

/** Fields for enterprise networks and WPA3, which are passed to the phone but not shown. */
const passedOn = ['R', 'E', 'A', 'AH', 'I', 'PH2', 'K', 'TRDISABLE'] as const;
const keys = ['T', 'S', 'P', 'H', ...passedOn];

interface Value {
  text: string;
  /** A name such as "CAFE" is quoted, so that it is not parsed as hexadecimal. */
  isQuoted: boolean;
}

/** For the history. Other content stays as it is. */
export function withoutWifiPassword(content: string): string {
  const fields = fieldsOf(content)?.map(({ key, raw }) => `${key}:${key === 'P' && raw ? '…' : raw}`);
  return fields ? `WIFI:${fields.join(';')};;` : content;
}

function fieldsOf(content: string): ReturnType<typeof parseFields> | undefined {
  const [, body] = /^\s*WIFI:(.*)$/is.exec(content) ?? [];
  // A trailing line break is not part of the payload.
  return body === undefined ? undefined : parseFields(trimEndOf(body, '\r\n'), keys);
}

function parseWifi(content: string): WifiContent | TextContent {
  const fields = fieldsOf(content);
  if (!fields) return asText(content);
  const values = new Map<string, Value>();
  for (const { key, raw } of fields) {
    if (!values.has(key)) values.set(key, parseValue(raw));
  }
  const name = values.get('S');
  if (!name?.text) return asText(content);
  const type = values.get('T')?.text.trim().toUpperCase() ?? '';
  const security = securityOf(type, Boolean(values.get('P')?.text));
  const password = security === 'none' ? undefined : values.get('P');
  const isHidden = /^(?:true|1|yes)$/i.test(values.get('H')?.text.trim() ?? '');
  const parts = [
    `T:${type === 'SAE' ? 'SAE' : security === 'none' ? 'nopass' : security}`,
    `S:${written(name)}`,
    ...(password?.text ? [`P:${written(password)}`] : []),
    ...(isHidden ? ['H:true'] : []),
    ...passedOn.flatMap((key) => {
      const value = values.get(key);
      return value?.text ? [`${key}:${written(value)}`] : [];
    }),
  ];
  return {
    kind: 'wifi',
    networkName: name.text,
    password: password?.text ?? '',
    security,
    isHidden,
    ...(security === 'WPA2-EAP' && values.get('I')?.text && { identity: values.get('I')?.text ?? '' }),
    payload: `WIFI:${parts.join(';')};;`,
  };
}

function securityOf(type: string, hasPassword: boolean): WifiContent['security'] {
  if (type.includes('EAP')) return 'WPA2-EAP';
  if (type === 'WEP') return 'WEP';
  if (type === 'NOPASS' || type === 'NONE' || type === 'OPEN') return 'none';
  // WPA, WPA2, WPA/WPA2, WPA3, SAE: the phone detects which one it is.
  return type.startsWith('WPA') || type === 'SAE' || hasPassword ? 'WPA' : 'none';
}

function parseValue(raw: string): Value {
  const [, quoted] = /^"((?:[^\\]|\\.)*)"$/s.exec(raw) ?? [];
  return { text: unescapeField(quoted ?? raw), isQuoted: quoted !== undefined };
}

function written({ text, isQuoted }: Value): string {
  return isQuoted ? `"${escapeField(text)}"` : escapeField(text);
}
