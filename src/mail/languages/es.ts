import {
  type FactorChange,
  linesOf,
  type MailedName,
  type MailTexts,
  type MembershipTexts,
  type NoticeTexts,
  oneOrMany,
} from '../mail-texts.ts';

const number = new Intl.NumberFormat('es');
const daysText = (days: number) => (days === 1 ? '1 día' : `${days} días`);
const scansText = (scans: number) => (scans === 1 ? '1 escaneo' : `${number.format(scans)} escaneos`);
const andMore = (count: number) => `y ${count} más`;

const notices: NoticeTexts = {
  unsubscribe: 'No recibir más correos de este tipo',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `«${name}» caduca en ${daysText(days)}`,
      (count) => `${count} códigos QR caducan pronto`,
    ),
    paragraphs: ['Cuando caduca, un código QR deja de funcionar, también donde está impreso.'],
    items: linesOf(codes, ({ name, days }) => `${name}: queda menos de ${daysText(days)}`, andMore),
    action: { label: 'Renovar los códigos', url: page },
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«${name}» se ha escaneado por primera vez`,
      (count) => `${count} códigos QR se han escaneado por primera vez`,
    ),
    paragraphs: ['Sus códigos QR están en uso. Se han escaneado por primera vez:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Ver los escaneos', url: page },
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} la semana pasada`,
    paragraphs: [
      `Del ${from} al ${to}, sus códigos QR tuvieron ${scansText(scans)}. La semana anterior fueron ${number.format(before)}.`,
      ...(top.length > 0 ? ['Los más escaneados:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'Ver los escaneos', url: page },
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Hoy no hay escaneos de «${name}»`,
      (count) => `Hoy no hay escaneos de ${count} códigos QR`,
    ),
    paragraphs: [
      'Estos códigos QR se escanean normalmente todos los días. Compruebe que siguen en su sitio.',
    ],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: normalmente ${number.format(usual)} al día, hoy ninguno`,
      andMore,
    ),
    action: { label: 'Abrir sus códigos', url: page },
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«${name}» lleva a una página que no funciona`,
      (count) => `${count} códigos QR llevan a páginas que no funcionan`,
    ),
    paragraphs: ['Quienes escanean estos códigos QR no ven lo que usted quiere mostrarles.'],
    items: linesOf(
      codes,
      ({ name, url, failure }) =>
        `${name}: ${url} ${failure === 'gone' ? 'responde que la página no existe' : 'no estuvo disponible dos días seguidos'}`,
      andMore,
    ),
    action: { label: 'Cambiar la dirección', url: page },
    notes: ['Los códigos impresos siguen siendo los mismos cuando cambia adónde llevan.'],
  }),
};

const roleNames = { owner: 'propietario', editor: 'editor', viewer: 'lector' };
const named = (workspace: MailedName) =>
  workspace === undefined ? 'un espacio de trabajo' : `el espacio de trabajo «${workspace}»`;

const membership: MembershipTexts = {
  invited: ({ workspace, role, inviter, days }, link) => ({
    subject: 'Le han invitado a un espacio de trabajo',
    paragraphs: [
      `${inviter ?? 'Alguien'} le invita a unirse a ${named(workspace)}, donde varias personas trabajan juntas con códigos QR. Su función será: ${roleNames[role]}.`,
    ],
    action: { label: 'Ver la invitación', url: link },
    notes: [
      `El enlace funciona durante ${days === 1 ? '1 día' : `${days} días`} y solo para esta dirección de correo.`,
      'Si no conoce al remitente, ignore este correo.',
    ],
  }),
  joined: ({ workspace, email, role }, page) => ({
    subject: 'Su espacio de trabajo tiene un nuevo miembro',
    paragraphs: [
      `${email ?? 'Alguien'} ha aceptado una invitación para unirse a ${named(workspace)}. Su función es: ${roleNames[role]}.`,
    ],
    action: { label: 'Ver los miembros', url: page },
  }),
  removed: (workspace) => ({
    subject: 'Ya no es miembro de un espacio de trabajo',
    paragraphs: [
      `Un propietario le ha retirado de su espacio de trabajo${workspace === undefined ? '' : ` «${workspace}»`}. Ya no puede abrirlo.`,
    ],
    notes: ['Su cuenta y sus otros espacios de trabajo siguen igual.'],
  }),
  deleted: (workspace) => ({
    subject: 'Se ha eliminado un espacio de trabajo',
    paragraphs: [
      `Un propietario ha eliminado ${named(workspace)}, del que usted era miembro. Sus códigos, claves de API y webhooks ya no funcionan.`,
    ],
  }),
  roleChanged: ({ workspace, role }, page) => ({
    subject: 'Su función en un espacio de trabajo ha cambiado',
    paragraphs: [
      `Un propietario ha cambiado su función en ${named(workspace)}. Ahora es: ${roleNames[role]}.`,
    ],
    action: { label: 'Ver los miembros', url: page },
  }),
};

const factorChanges: Record<FactorChange, string> = {
  'app-on': 'Se ha configurado una aplicación de autenticación para su cuenta.',
  'app-off': 'Se ha desactivado la aplicación de autenticación de su cuenta.',
  'passkey-added': 'Se ha añadido una llave de acceso a su cuenta. Permite iniciar sesión sin contraseña.',
  'passkey-removed': 'Se ha eliminado una llave de acceso de su cuenta.',
  'recovery-codes':
    'Se han creado códigos de recuperación nuevos para su cuenta. Los anteriores ya no funcionan.',
  'identity-added':
    'Ahora se puede acceder a su cuenta con una cuenta del proveedor de inicio de sesión, sin contraseña.',
  'identity-removed': 'Ya no se puede acceder a su cuenta con una cuenta del proveedor de inicio de sesión.',
};

export const es: MailTexts = {
  notices,
  membership,
  sentBy: (name, site) => `Enviado por ${name} en ${site}`,
  questions: (contact) => `¿Preguntas? ${contact}`,
  passwordReset: (link) => ({
    subject: 'Elegir una contraseña nueva',
    paragraphs: ['Alguien, probablemente usted, ha pedido una contraseña nueva para su cuenta.'],
    action: { label: 'Elegir una contraseña nueva', url: link },
    notes: [
      'El enlace funciona una sola vez, durante una hora. Después se cierran todas las demás sesiones de la cuenta.',
      'Si no ha sido usted, ignore este correo. Su contraseña sigue siendo la misma.',
    ],
  }),
  signInLink: (link) => ({
    subject: 'Iniciar sesión en su cuenta',
    paragraphs: ['Alguien, probablemente usted, ha pedido un enlace para iniciar sesión en su cuenta.'],
    action: { label: 'Iniciar sesión', url: link },
    notes: [
      'El enlace funciona una sola vez, durante una hora.',
      'Si no ha sido usted, ignore este correo. Sin el enlace, nadie puede iniciar sesión.',
    ],
  }),
  signUp: (link) => ({
    subject: 'Completar el registro',
    paragraphs: [
      'Alguien, probablemente usted, quiere registrarse con esta dirección de correo. Abra el enlace para elegir una contraseña.',
    ],
    action: { label: 'Elegir una contraseña', url: link },
    notes: [
      'El enlace funciona durante 24 horas.',
      'Si no ha sido usted, ignore este correo. No se crea ninguna cuenta.',
    ],
  }),
  alreadySignedUp: (signInPage, resetPage) => ({
    subject: 'Ya tiene una cuenta',
    paragraphs: [
      'Alguien, probablemente usted, ha querido registrarse con esta dirección de correo. Ya tiene una cuenta.',
    ],
    action: { label: 'Iniciar sesión', url: signInPage },
    notes: [
      `Si ya no recuerda su contraseña, elija una nueva: ${resetPage}`,
      'Si no ha sido usted, no hay nada que hacer. Quien lo haya intentado no ha sabido que usted tiene una cuenta.',
    ],
  }),
  passwordChanged: (resetPage) => ({
    subject: 'Su contraseña ha cambiado',
    paragraphs: ['La contraseña de su cuenta ha cambiado y se han cerrado todas las demás sesiones.'],
    action: { label: 'No he sido yo', url: resetPage },
    notes: ['Si ha sido usted, no tiene que hacer nada.'],
  }),
  confirmEmail: (email, link) => ({
    subject: 'Confirme su dirección de correo',
    paragraphs: [`Confirme que ${email} es la dirección de su cuenta.`],
    action: { label: 'Confirmar esta dirección', url: link },
    notes: [
      'El enlace funciona durante 24 horas.',
      'Si no tiene una cuenta aquí, ignore este correo. La dirección no quedará confirmada.',
    ],
  }),
  emailChanged: (newEmail) => ({
    subject: 'La dirección de correo de su cuenta ha cambiado',
    paragraphs: [
      `Su cuenta tiene ahora la dirección ${newEmail}. Los correos sobre ella ya no llegan a esta dirección.`,
    ],
    notes: ['Si no la ha cambiado usted, póngase en contacto con el operador del servicio.'],
  }),
  webhookDisabled: ({ name, isGone, link }) => ({
    subject: `Su webhook «${name}» se ha desactivado`,
    paragraphs: [
      isGone
        ? `El programa al que llama su webhook «${name}» respondió 410 (Gone). Por eso el webhook se ha desactivado.`
        : `Todas las llamadas de su webhook «${name}» fallaron durante tres días. Por eso se ha desactivado.`,
    ],
    action: { label: 'Abrir el webhook', url: link },
    notes: [
      'No se envía nada hasta que vuelva a activarlo. Después puede enviar lo que haya ocurrido entretanto.',
    ],
  }),
  secondFactorChanged: (change, page) => ({
    subject: 'El inicio de sesión de su cuenta ha cambiado',
    paragraphs: [factorChanges[change]],
    action: { label: 'Abrir la página de seguridad', url: page },
    notes: [
      'Si ha sido usted, no tiene que hacer nada.',
      'Si no, elija una contraseña nueva y elimine las aplicaciones y llaves de acceso que no conozca.',
    ],
  }),
  exportReady: (page) => ({
    subject: 'Su exportación está lista',
    paragraphs: ['La exportación de sus datos que ha pedido está lista.'],
    action: { label: 'Descargar la exportación', url: page },
    notes: ['Se conserva durante siete días. Para descargarla, tiene que iniciar sesión.'],
  }),
  exportFailed: (page) => ({
    subject: 'No se ha podido crear su exportación',
    paragraphs: ['No se ha podido crear la exportación de sus datos que ha pedido.'],
    action: { label: 'Abrir la página de la cuenta', url: page },
    notes: ['Allí se explica el motivo y qué puede hacer.'],
  }),
  test: (name) => ({
    subject: `Correo de prueba de ${name}`,
    paragraphs: [`Este correo muestra que ${name} puede enviar correos.`],
  }),
};
