/**
 * The forms of keys and tokens, as their issuers document them. A row has the kind, the strings that a secret of this kind starts
 * with, and the pattern of all of it. The first pattern that fits at a start wins, so specific forms come before general ones.
 *
 * The table is written by hand because no package fits. We found none that has the rules of gitleaks, the largest list, as data.
 * `@secretlint/secretlint-rule-preset-recommend` knows 24 issuers, so most rows would remain; its rules are code that reads a
 * whole file once per issuer, and report names such as `SG.size.large`. Both lists are good sources of forms to add.
 *
 * Patterns are bounded and are tried only where a start is found, so that the time is linear.
 *
 * @see https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml
 * @see https://github.com/secretlint/secretlint
 */
export type SecretForm = readonly [kind: string, starts: readonly string[], pattern: RegExp];

export const SECRET_FORMS: readonly SecretForm[] = [
  // Clouds and hosting.
  ['AWS access key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /A(?:KI|SI|BI|CC)A[A-Z2-7]{16}(?![A-Za-z0-9])/uy],
  ['AWS Bedrock key', ['ABSK'], /ABSK[A-Za-z0-9+/]{100,512}={0,2}/uy],
  ['Alibaba Cloud access key', ['LTAI'], /LTAI[A-Za-z0-9]{12,20}(?![A-Za-z0-9])/uy],
  ['Tencent Cloud key', ['AKID'], /AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])/uy],
  ['Google API key', ['AIza'], /AIza[\w-]{35}(?![\w-])/uy],
  ['Google OAuth secret', ['GOCSPX-', 'ya29.'], /(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{30,512})/uy],
  ['Google refresh token', ['1//0'], /1\/\/0(?=[\w-]{0,24}[A-Za-z])[\w-]{24,256}/uy],
  ['DigitalOcean token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /do[opr]_v1_[0-9a-f]{64}(?!\w)/uy],
  ['Databricks token', ['dapi'], /dapi[0-9a-f]{32}(?:-\d)?(?!\w)/uy],
  ['Heroku key', ['HRKU-'], /HRKU-[\w-]{36,100}/uy],
  [
    'Vercel token',
    ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    /vc[aciprk]_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,60}(?!\w)/uy,
  ],
  ['Netlify token', ['nfp_'], /nfp_[A-Za-z0-9]{36}(?!\w)/uy],
  [
    'Fly.io token',
    ['fo1_', 'fm1r_', 'fm1a_', 'fm2_'],
    /(?:fo1_[\w-]{43}|fm1[ar]_[\w+/-]{100,1024}|fm2_[\w+/-]{100,1024})/uy,
  ],
  ['Cloudflare key', ['v1.0-'], /v1\.0-[0-9a-f]{24}-[0-9a-f]{146}(?!\w)/uy],
  ['Cloudflare token', ['cfut_', 'cfat_', 'cfk_'], /cf(?:ut|at|k)_[A-Za-z0-9_-]{40,64}(?!\w)/uy],
  ['Tailscale key', ['tskey-'], /tskey-[a-z]{2,16}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}/uy],
  ['Supabase key', ['sbp_', 'sb_secret_'], /(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,64})(?!\w)/uy],
  ['PlanetScale token', ['pscale_'], /pscale_(?:tkn|oauth|pw)_[\w.-]{32,64}/uy],
  ['MongoDB Atlas secret', ['mdb_sa_sk_'], /mdb_sa_sk_[\w-]{40}/uy],
  // Code, packages and their builds.
  [
    'GitHub token',
    ['ghp_', 'gho_', 'ghr_', 'ghs_', 'ghu_', 'github_pat_'],
    /(?:gh[oprsu]_[A-Za-z0-9]{36,1024}|github_pat_\w{60,255})(?!\w)/uy,
  ],
  [
    'GitLab token',
    ['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glsoat-', 'glft-', 'gloas-', 'glagent-', 'glimt-', 'glffct-'],
    /gl(?:pat|ptt|dt|rt|cbt|soat|ft|oas|agent|imt|ffct)-[\w.-]{20,255}/uy,
  ],
  ['Bitbucket password', ['ATBB'], /ATBB[A-Za-z0-9]{32}(?!\w)/uy],
  ['Atlassian token', ['ATATT3x', 'ATCTT3x'], /AT[AC]TT3x[\w=-]{60,512}/uy],
  ['Linear key', ['lin_api_', 'lin_oauth_'], /lin_(?:api|oauth)_\w{32,128}(?!\w)/uy],
  ['npm token', ['npm_'], /npm_[A-Za-z0-9]{36}(?!\w)/uy],
  ['PyPI token', ['pypi-AgE'], /pypi-AgE[\w-]{50,512}/uy],
  ['RubyGems key', ['rubygems_'], /rubygems_[0-9a-f]{48}(?!\w)/uy],
  ['crates.io token', ['cio'], /cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?!\w)/uy],
  ['NuGet key', ['oy2'], /oy2[a-z0-9]{43}(?!\w)/uy],
  ['Clojars token', ['CLOJARS_'], /CLOJARS_[A-Za-z0-9]{60}(?!\w)/uy],
  ['Artifactory token', ['AKCp', 'cmVmdGtu'], /(?:AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56})(?!\w)/uy],
  ['Docker token', ['dckr_pat_', 'dckr_oat_'], /dckr_[po]at_[\w-]{24,64}/uy],
  ['Buildkite token', ['bkua_'], /bkua_[0-9a-f]{40}(?!\w)/uy],
  ['CircleCI token', ['CCIPAT_'], /CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}(?!\w)/uy],
  ['Prefect key', ['pnu_', 'pnb_'], /(?:pnu|pnb)_(?=[a-z]{0,35}\d)[a-z0-9]{36}(?!\w)/uy],
  ['Pulumi token', ['pul-'], /pul-[0-9a-f]{40}(?!\w)/uy],
  ['Sonar token', ['squ_', 'sqp_', 'sqa_'], /sq[apu]_[0-9a-f]{40}(?!\w)/uy],
  ['Sourcegraph token', ['sgp_'], /sgp_(?:[A-Za-z0-9]{16}_|local_)?[0-9a-f]{40}(?!\w)/uy],
  ['Postman key', ['PMAK-'], /PMAK-[0-9a-f]{24}-[0-9a-f]{34}(?!\w)/uy],
  ['Figma token', ['figd_', 'figu_'], /fig[du]_[\w-]{40,200}/uy],
  ['Notion token', ['ntn_', 'secret_'], /(?:ntn_[A-Za-z0-9]{40,64}|secret_[A-Za-z0-9]{43})(?!\w)/uy],
  ['Airtable token', ['pat'], /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/uy],
  ['Contentful token', ['CFPAT-'], /CFPAT-[\w-]{43}(?!\w)/uy],
  ['Typeform token', ['tfp_'], /tfp_[\w-]{40,64}/uy],
  // Secrets and identities.
  ['Vault token', ['hvs.', 'hvb.', 'hvr.'], /hv[bsr]\.[\w-]{24,300}/uy],
  // Of versions before 1.10.
  ['Vault token', ['s.'], /s\.(?=[A-Za-z]{0,23}\d)(?=[a-z\d]{0,23}[A-Z])[A-Za-z0-9]{24}(?![\w.(])/uy],
  [
    'Doppler token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    /dp\.[a-z]{2,5}\.(?:[\w-]{1,36}\.)?[A-Za-z0-9]{40,44}(?!\w)/uy,
  ],
  ['1Password token', ['ops_eyJ'], /ops_eyJ[A-Za-z0-9+/_-]{100,2048}/uy],
  [
    '1Password secret key',
    ['A3-'],
    /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?!\w)/uy,
  ],
  ['age secret key', ['AGE-SECRET-KEY-'], /AGE-SECRET-KEY-(?:PQ-)?1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,512}/uy],
  ['Okta token', ['SSWS '], /SSWS 00[\w-]{40}(?!\w)/uy],
  ['extended private key', ['xprv', 'zprv', 'yprv'], /[xyz]prv[1-9A-HJ-NP-Za-km-z]{107}(?!\w)/uy],
  // Models.
  ['Anthropic key', ['sk-ant-'], /sk-ant-[a-z0-9]{1,16}-[\w-]{24,255}/uy],
  ['OpenRouter key', ['sk-or-'], /sk-or-v\d-[0-9a-f]{64}(?!\w)/uy],
  ['OpenAI key', ['sk-'], /sk-(?:proj-|svcacct-|admin-)?[\w-]{32,255}/uy],
  ['Hugging Face token', ['hf_', 'api_org_'], /(?:hf|api_org)_[A-Za-z0-9]{34,40}(?!\w)/uy],
  ['Groq key', ['gsk_'], /gsk_[A-Za-z0-9]{48,64}(?!\w)/uy],
  ['xAI key', ['xai-'], /xai-[A-Za-z0-9]{70,90}(?!\w)/uy],
  ['Perplexity key', ['pplx-'], /pplx-[A-Za-z0-9]{40,64}(?!\w)/uy],
  ['Replicate token', ['r8_'], /r8_[A-Za-z0-9]{37}(?!\w)/uy],
  ['NVIDIA key', ['nvapi-'], /nvapi-[\w-]{60,80}/uy],
  ['LangSmith key', ['lsv2_'], /lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}(?!\w)/uy],
  ['Pinecone key', ['pcsk_'], /pcsk_\w{50,90}/uy],
  ['ElevenLabs key', ['sk_'], /sk_[0-9a-f]{48}(?!\w)/uy],
  ['Tavily key', ['tvly-'], /tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,40}(?!\w)/uy],
  // Messages.
  [
    'Slack token',
    ['xoxa', 'xoxb', 'xoxe', 'xoxo', 'xoxp', 'xoxr', 'xoxs', 'xoxc', 'xoxd', 'xapp-'],
    /(?:xox[abcdeoprs](?:\.xox[bp])?|xapp)-[\w%-]{20,255}/uy,
  ],
  [
    'Slack webhook',
    ['https://hooks.slack.com/'],
    /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{6,16}\/[A-Z0-9]{6,20}\/[A-Za-z0-9]{16,64}/uy,
  ],
  [
    'Discord webhook',
    [
      'https://discord.com/api/',
      'https://discordapp.com/api/',
      'https://canary.discord.com/api/',
      'https://ptb.discord.com/api/',
    ],
    /https:\/\/(?:canary\.|ptb\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{15,20}\/[\w-]{60,90}/uy,
  ],
  ['SendGrid key', ['SG.'], /SG\.[\w-]{16,32}\.[\w-]{32,64}/uy],
  ['Mailgun key', ['key-', 'pubkey-'], /(?:pub)?key-[0-9a-f]{32}(?!\w)/uy],
  ['Brevo key', ['xkeysib-', 'xsmtpsib-'], /x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}(?!\w)/uy],
  ['Resend key', ['re_'], /re_(?=\w{0,31}\d)(?=\w{0,31}[A-Z])[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}(?!\w)/uy],
  ['Twilio key', ['SK', 'AC'], /(?:SK[0-9a-f]{32}|AC[0-9a-f]{32}:[0-9a-f]{32})(?!\w)/uy],
  // Payments and shops.
  [
    'Stripe key',
    ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    /(?:[rs]k_(?:live|test)_[A-Za-z0-9]{20,255}|whsec_[A-Za-z0-9+/]{20,255})(?!\w)/uy,
  ],
  [
    'Square token',
    ['EAAA', 'sq0atp-', 'sq0csp-'],
    /(?:EAAA(?=[A-Za-z_-]{0,60}\d)[\w-]{56,64}|sq0atp-[\w-]{22}|sq0csp-[\w-]{43})(?![\w+/=-])/uy,
  ],
  ['PayPal token', ['access_token$'], /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}(?!\w)/uy],
  [
    'Shopify token',
    ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_'],
    /shp(?:at|ca|pa|ss|ua)_[A-Za-z0-9]{32,64}(?!\w)/uy,
  ],
  ['EasyPost key', ['EZAK', 'EZTK'], /EZ[AT]K[A-Za-z0-9]{54}(?!\w)/uy],
  ['Flutterwave key', ['FLWSECK'], /FLWSECK(?:_TEST|_PROD)?-[A-Za-z0-9]{12,64}(?:-X)?(?!\w)/uy],
  // Observation and social networks.
  [
    'Grafana token',
    ['glc_', 'glsa_', 'eyJrIjoi'],
    /(?:glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|eyJrIjoi[A-Za-z0-9]{70,400}={0,2})(?!\w)/uy,
  ],
  ['New Relic key', ['NRAK-', 'NRII-', 'NRIQ-', 'NRRA-'], /NR(?:AK|II|IQ|RA)-[\w-]{26,42}/uy],
  ['Sentry token', ['sntrys_', 'sntryu_'], /(?:sntrys_eyJ[A-Za-z0-9+/=_]{60,512}|sntryu_[0-9a-f]{64})/uy],
  ['Dynatrace token', ['dt0c01.', 'dt0s01.', 'dt0s16.'], /dt0[cs]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}(?!\w)/uy],
  ['Facebook token', ['EAA'], /EAA(?=[A-Za-z]{0,80}\d)[A-Za-z0-9]{80,400}(?![\w+/=])/uy],
  ['Twitter token', ['AAAAAAAAAAAAAAAAAAAAA'], /A{21,22}(?=[A-Za-z%]{0,80}\d)[A-Za-z0-9%]{50,200}(?![\w+/=])/uy],
  ['Asana token', ['1/', '2/'], /[12]\/\d{15,17}(?:\/\d{15,17})?:[0-9a-f]{32}(?!\w)/uy],
  ['Dropbox token', ['sl.'], /sl\.(?:u\.)?[\w-]{120,1500}/uy],
  ['JSON web token', ['eyJ'], /eyJ[\w-]{10,2048}\.eyJ[\w-]{10,4096}\.[\w-]{20,2048}/uy],
  // An encrypted one has five parts.
  [
    'JSON web token',
    ['eyJ'],
    /eyJ[\w-]{10,1024}\.[\w-]{0,1024}\.[\w-]{16,64}\.[\w-]{10,4096}\.[\w-]{20,64}(?![\w.-])/uy,
  ],
];

/** A form without a fixed start. */
interface LooseForm {
  readonly kind: string;
  /** What every text with such a secret has. It is quick to search for. */
  readonly needs: string | RegExp;
  /** The secret is the first group, else the whole match, and ends the match. */
  readonly pattern: RegExp;
}

export const LOOSE_FORMS: readonly LooseForm[] = [
  {
    kind: 'private key',
    needs: 'PRIVATE KEY',
    // A header in prose has no key after it. A body ends at the next five hyphens, so that each is read once.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----\s{1,64}(?:Proc-Type|Version|Comment|[A-Za-z0-9+/]{16})(?:[^-]|-(?!----)){0,16384}(?:-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?/gu,
  },
  {
    kind: 'private key',
    needs: 'PuTTY-User-Key-File',
    pattern: /^Private-Lines: \d{1,4}\r?\n([A-Za-z0-9+/=\s]{32,16384})/gmu,
  },
  {
    kind: 'AWS secret key',
    needs: /[Aa][Ww][Ss]|(?:secret|Secret|SECRET)/u,
    pattern:
      /(?<![A-Za-z0-9])(?:[Aa][Ww][Ss]|(?:secret|Secret|SECRET)[_-]?(?:(?:access|Access|ACCESS)[_-]?)?(?:key|Key|KEY))[^\n]{0,40}?(?<![A-Za-z0-9/+])((?=[A-Za-z/+]{0,39}[0-9])(?=[a-z0-9/+]{0,39}[A-Z])(?=[A-Z0-9/+]{0,39}[a-z])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gu,
  },
  {
    kind: 'Telegram bot token',
    needs: ':AA',
    pattern: /(?<![\w-])(?:bot)?([0-9]{8,10}:AA[\w-]{33})(?![\w-])/gu,
  },
  {
    kind: 'Discord token',
    needs: /\.[\w-]{6}\.[\w-]{27}/u,
    pattern: /(?<![\w+/.-])[MNO](?=[\w-]{0,26}\d)[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])/gu,
  },
  {
    kind: 'Mailgun key',
    needs: /-[0-9a-f]{8}-[0-9a-f]{8}/u,
    pattern: /(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])/gu,
  },
  {
    kind: 'Firebase key',
    needs: ':APA91b',
    pattern: /(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{100,200}/gu,
  },
  {
    kind: 'signed URL',
    needs: /[?&]sig=|-Signature=/u,
    // Of Azure Storage, AWS and Google Cloud.
    pattern:
      /[?&](?:sig=|X-(?:Amz|Goog)-Signature=)((?<=sig=)[A-Za-z0-9%+/_-]{42,130}(?:%3[Dd]|=)|(?<!sig=)[0-9a-f]{64,512})(?!\w)/gu,
  },
  {
    kind: 'Microsoft Teams webhook',
    needs: '.webhook.office.com',
    pattern: /\.webhook\.office\.com\/webhookb2\/([\w@-]{36,80}\/IncomingWebhook\/[0-9a-f]{32}\/[\w-]{36})/gu,
  },
  { kind: 'Mailchimp key', needs: '-us', pattern: /(?<![\w-])[0-9a-f]{32}-us\d{1,2}(?!\w)/gu },
  { kind: 'Terraform token', needs: '.atlasv1.', pattern: /(?<![\w-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}/gu },
  { kind: 'Azure client secret', needs: 'Q~', pattern: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/gu },
  {
    kind: 'Azure key',
    needs: /APIM|ACDb|AIoT|\+A(?:Ba|MC|St|Sb|Eh|Rm)/u,
    pattern:
      /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{76}(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9+/]{33}(?:AIoT|\+(?:ASb|AEh|ARm))[A-Za-z0-9+/]{5}[AQgw]=)/gu,
  },
  { kind: 'New Relic key', needs: 'NRAL', pattern: /(?<!\w)[0-9a-f]{36}NRAL(?!\w)/gu },
  {
    kind: 'WireGuard key',
    needs: 'PrivateKey',
    pattern: /^PrivateKey\s{0,4}=\s{0,4}([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)/gmu,
  },
];
