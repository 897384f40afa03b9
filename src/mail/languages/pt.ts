import {
  type FactorChange,
  linesOf,
  type MailedName,
  type MailTexts,
  type MembershipTexts,
  type NoticeTexts,
  oneOrMany,
} from '../mail-texts.ts';

const number = new Intl.NumberFormat('pt');
const daysText = (days: number) => (days === 1 ? '1 dia' : `${days} dias`);
const scansText = (scans: number) => (scans === 1 ? '1 leitura' : `${number.format(scans)} leituras`);
const andMore = (count: number) => `e mais ${count}`;

const notices: NoticeTexts = {
  unsubscribe: 'Não receber mais e-mails deste tipo',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `“${name}” expira em ${daysText(days)}`,
      (count) => `${count} QR codes expiram em breve`,
    ),
    paragraphs: ['Depois de expirar, um QR code deixa de funcionar, mesmo onde está impresso.'],
    items: linesOf(codes, ({ name, days }) => `${name}: falta menos de ${daysText(days)}`, andMore),
    action: { label: 'Renovar os códigos', url: page },
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}” foi lido pela primeira vez`,
      (count) => `${count} QR codes foram lidos pela primeira vez`,
    ),
    paragraphs: ['Os seus QR codes estão em uso. Foram lidos pela primeira vez:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Ver as leituras', url: page },
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} na última semana`,
    paragraphs: [
      `De ${from} a ${to}, os seus QR codes tiveram ${scansText(scans)}. Na semana anterior, foram ${number.format(before)}.`,
      ...(top.length > 0 ? ['Os mais lidos:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'Ver as leituras', url: page },
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Nenhuma leitura de “${name}” hoje`,
      (count) => `Nenhuma leitura de ${count} QR codes hoje`,
    ),
    paragraphs: ['Estes QR codes costumam ser lidos todos os dias. Verifique se ainda estão no lugar.'],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: normalmente ${number.format(usual)} por dia, hoje nenhuma`,
      andMore,
    ),
    action: { label: 'Abrir os seus códigos', url: page },
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}” leva a uma página que não funciona`,
      (count) => `${count} QR codes levam a páginas que não funcionam`,
    ),
    paragraphs: ['Quem lê estes QR codes não vê o que você quer mostrar.'],
    items: linesOf(
      codes,
      ({ name, url, failure }) =>
        `${name}: ${url} ${failure === 'gone' ? 'responde que a página não existe' : 'não pôde ser acessado por dois dias seguidos'}`,
      andMore,
    ),
    action: { label: 'Alterar o endereço', url: page },
    notes: ['Os códigos impressos continuam os mesmos quando você muda para onde eles levam.'],
  }),
};

const roleNames = { owner: 'proprietário', editor: 'editor', viewer: 'leitor' };
const named = (workspace: MailedName) => (workspace === undefined ? '' : ` “${workspace}”`);

const membership: MembershipTexts = {
  invited: ({ workspace, role, inviter, days }, link) => ({
    subject: 'Você recebeu um convite para um espaço de trabalho',
    paragraphs: [
      `${inviter ?? 'Alguém'} convida você para o espaço de trabalho${named(workspace)}, onde várias pessoas trabalham juntas com códigos QR. Sua função será: ${roleNames[role]}.`,
    ],
    action: { label: 'Ver o convite', url: link },
    notes: [
      `O link funciona durante ${days === 1 ? '1 dia' : `${days} dias`} e só para este endereço de e-mail.`,
      'Se você não conhece o remetente, ignore este e-mail.',
    ],
  }),
  joined: ({ workspace, email, role }, page) => ({
    subject: 'Seu espaço de trabalho tem um novo membro',
    paragraphs: [
      `${email ?? 'Alguém'} aceitou um convite para o espaço de trabalho${named(workspace)}. A função é: ${roleNames[role]}.`,
    ],
    action: { label: 'Ver os membros', url: page },
  }),
  removed: (workspace) => ({
    subject: 'Você não é mais membro de um espaço de trabalho',
    paragraphs: [
      `Um proprietário removeu você do espaço de trabalho${named(workspace)}. Você não pode mais abri-lo.`,
    ],
    notes: ['Sua conta e seus outros espaços de trabalho continuam como estão.'],
  }),
  deleted: (workspace) => ({
    subject: 'Um espaço de trabalho foi excluído',
    paragraphs: [
      `Um proprietário excluiu o espaço de trabalho${named(workspace)}, do qual você era membro. Os códigos, as chaves de API e os webhooks dele já não funcionam.`,
    ],
  }),
  roleChanged: ({ workspace, role }, page) => ({
    subject: 'Sua função em um espaço de trabalho mudou',
    paragraphs: [
      `Um proprietário mudou a sua função no espaço de trabalho${named(workspace)}. Agora ela é: ${roleNames[role]}.`,
    ],
    action: { label: 'Ver os membros', url: page },
  }),
};

const factorChanges: Record<FactorChange, string> = {
  'app-on': 'Um aplicativo autenticador foi configurado para a sua conta.',
  'app-off': 'O aplicativo autenticador da sua conta foi desativado.',
  'passkey-added': 'Uma chave de acesso foi adicionada à sua conta. Ela permite entrar sem senha.',
  'passkey-removed': 'Uma chave de acesso foi removida da sua conta.',
  'recovery-codes':
    'Novos códigos de recuperação foram criados para a sua conta. Os anteriores já não funcionam.',
  'identity-added': 'Agora é possível entrar na sua conta com uma conta do provedor de login, sem senha.',
  'identity-removed': 'Não é mais possível entrar na sua conta com uma conta do provedor de login.',
};

export const pt: MailTexts = {
  notices,
  membership,
  sentBy: (name, site) => `Enviado por ${name} em ${site}`,
  questions: (contact) => `Dúvidas? ${contact}`,
  passwordReset: (link) => ({
    subject: 'Escolher uma nova senha',
    paragraphs: ['Alguém, provavelmente você, pediu uma nova senha para a sua conta.'],
    action: { label: 'Escolher uma nova senha', url: link },
    notes: [
      'O link funciona uma única vez, durante uma hora. Todas as outras sessões da conta são então encerradas.',
      'Se não foi você, ignore este e-mail. A sua senha continua a mesma.',
    ],
  }),
  signInLink: (link) => ({
    subject: 'Entrar na sua conta',
    paragraphs: ['Alguém, provavelmente você, pediu um link para entrar na sua conta.'],
    action: { label: 'Entrar', url: link },
    notes: [
      'O link funciona uma única vez, durante uma hora.',
      'Se não foi você, ignore este e-mail. Sem o link, ninguém pode entrar.',
    ],
  }),
  signUp: (link) => ({
    subject: 'Concluir o cadastro',
    paragraphs: [
      'Alguém, provavelmente você, quer se cadastrar com este endereço de e-mail. Abra o link para escolher uma senha.',
    ],
    action: { label: 'Escolher uma senha', url: link },
    notes: [
      'O link funciona durante 24 horas.',
      'Se não foi você, ignore este e-mail. Nenhuma conta é criada.',
    ],
  }),
  alreadySignedUp: (signInPage, resetPage) => ({
    subject: 'Você já tem uma conta',
    paragraphs: [
      'Alguém, provavelmente você, quis se cadastrar com este endereço de e-mail. Ele já tem uma conta.',
    ],
    action: { label: 'Entrar', url: signInPage },
    notes: [
      `Se você não sabe mais a sua senha, escolha uma nova: ${resetPage}`,
      'Se não foi você, não há nada a fazer. Quem tentou não ficou sabendo que você tem uma conta.',
    ],
  }),
  passwordChanged: (resetPage) => ({
    subject: 'A sua senha foi alterada',
    paragraphs: ['A senha da sua conta foi alterada, e todas as outras sessões foram encerradas.'],
    action: { label: 'Não fui eu', url: resetPage },
    notes: ['Se foi você, não é preciso fazer nada.'],
  }),
  confirmEmail: (email, link) => ({
    subject: 'Confirme o seu endereço de e-mail',
    paragraphs: [`Confirme que ${email} é o endereço da sua conta.`],
    action: { label: 'Confirmar este endereço', url: link },
    notes: [
      'O link funciona durante 24 horas.',
      'Se você não tem uma conta aqui, ignore este e-mail. O endereço não será confirmado.',
    ],
  }),
  emailChanged: (newEmail) => ({
    subject: 'O endereço de e-mail da sua conta foi alterado',
    paragraphs: [
      `A sua conta tem agora o endereço ${newEmail}. Os e-mails sobre ela já não chegam a este endereço.`,
    ],
    notes: ['Se não foi você, entre em contato com o operador do serviço.'],
  }),
  webhookDisabled: ({ name, isGone, link }) => ({
    subject: `O seu webhook “${name}” foi desativado`,
    paragraphs: [
      isGone
        ? `O programa que o seu webhook “${name}” chama respondeu 410 (Gone). Por isso, o webhook foi desativado.`
        : `Todas as chamadas do seu webhook “${name}” falharam durante três dias. Por isso, ele foi desativado.`,
    ],
    action: { label: 'Abrir o webhook', url: link },
    notes: ['Nada é enviado até que você o ative de novo. Depois, pode enviar o que aconteceu entretanto.'],
  }),
  secondFactorChanged: (change, page) => ({
    subject: 'O acesso à sua conta foi alterado',
    paragraphs: [factorChanges[change]],
    action: { label: 'Abrir a página de segurança', url: page },
    notes: [
      'Se foi você, não é preciso fazer nada.',
      'Se não, escolha uma nova senha e remova os aplicativos e as chaves de acesso que você não conhece.',
    ],
  }),
  exportReady: (page) => ({
    subject: 'A sua exportação está pronta',
    paragraphs: ['A exportação dos seus dados que você pediu está pronta.'],
    action: { label: 'Baixar a exportação', url: page },
    notes: ['Ela fica guardada durante sete dias. Para baixá-la, é preciso entrar na conta.'],
  }),
  exportFailed: (page) => ({
    subject: 'Não foi possível criar a sua exportação',
    paragraphs: ['Não foi possível criar a exportação dos seus dados que você pediu.'],
    action: { label: 'Abrir a página da conta', url: page },
    notes: ['Lá estão o motivo e o que você pode fazer.'],
  }),
  test: (name) => ({
    subject: `E-mail de teste do ${name}`,
    paragraphs: [`Este e-mail mostra que o ${name} consegue enviar e-mails.`],
  }),
};
