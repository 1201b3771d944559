/** The hostile cases of the section `lifecycle`: installing, uninstalling, enterprises, connecting, permissions and the audit. */
import { walk } from '../support/bot/walk.ts';

const installing = 'test/bot/slack/installation/installation.test.ts';
const leaving = 'test/bot/slack/installation/uninstall.test.ts';
const enterprise = 'test/bot/slack/installation/enterprise.test.ts';

const digests = 'test/hostile/digests.test.ts';
const connecting = 'test/bot/commands/words/connect/hostile.test.ts';
const rights = 'test/bot/slack/access/governance.test.ts';
const audit = 'test/hostile/audit.test.ts';

walk({
  section: 'lifecycle',
  runs: {},
  instead: {
    'channel-made-shared':
      'paused while it is shared: this cannot be confirmed by a person, and it continues when the sharing ends',
  },
  elsewhere: {
    'oauth-no-state': installing,
    'oauth-other-browser': installing,
    'oauth-denied': installing,
    'oauth-install-race': installing,
    reinstall: installing,
    'uninstall-missed': leaving,
    'uninstall-forged': leaving,
    'uninstall-old-event': leaving,
    'grid-org-install': enterprise,
    'grid-team-not-granted': enterprise,
    'grid-same-channel': enterprise,
    'modal-forged-metadata': connecting,
    'modal-key-empty': connecting,
    'modal-key-invalid': connecting,
    'modal-upstream-slow': connecting,
    'modal-no-prefill': connecting,
    'modal-double-submit': connecting,
    'non-admin-config': rights,
    'deactivated-user': rights,
    'admin-check-fails': rights,
    'admin-cache': rights,
    'audit-complete': audit,
    'audit-tamper': audit,
    'uninstall-during-digest': digests,
    'channel-made-shared': digests,
    'bot-removed': digests,
  },
  later: {
    export: { because: 'settings cannot be exported', until: null },
  },
});
