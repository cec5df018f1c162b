// hello, isMaster, ping, buildInfo: only what does not depend on the machine or on the kind of deployment.
const HELLO = ['isWritablePrimary', 'ismaster', 'helloOk', 'maxBsonObjectSize', 'maxMessageSizeBytes', 'maxWriteBatchSize',
  'logicalSessionTimeoutMinutes', 'minWireVersion', 'maxWireVersion', 'readOnly', 'ok'];
export default {
  keep: HELLO,
  cases: [
    { command: { hello: 1 } },
    { command: { hello: true } },
    { command: { hello: 1, $db: 'admin' } },
    { command: { isMaster: 1 } },
    { command: { ismaster: 1 } },
    { command: { isMaster: 1, helloOk: true } },
    { command: { hello: 1, helloOk: true } },
    { command: { ping: 1 } },
    { command: { ping: 1, $db: 'admin' } },
    { command: { ping: 'x' } },
    { command: { ping: 1, comment: 'here' } },
    { command: { ping: 1, unknown: 1 } },
    { command: { buildInfo: 1 }, keep: ['version', 'versionArray', 'maxBsonObjectSize', 'bits', 'ok'] },
    { command: { buildinfo: 1 }, keep: ['version', 'versionArray', 'maxBsonObjectSize', 'bits', 'ok'] },
    { command: { buildInfo: 1, $db: 'admin' }, keep: ['version', 'versionArray', 'maxBsonObjectSize', 'bits', 'ok'] },
  ],
};
