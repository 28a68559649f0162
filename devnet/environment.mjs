// What the relayer needs to know about a devnet, as NAME=VALUE lines for its environment.

import fs from 'node:fs';

const { gateway, hosts, relayers, thresholds, voteChain } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const [host] = hosts;

const lines = {
  GATEWAY__CHAIN_ID: gateway.chainId,
  GATEWAY__RPC__READ: `devnet=${gateway.http}`,
  GATEWAY__CONTRACTS__DECRYPTION: gateway.contracts.decryption,
  GATEWAY__CONTRACTS__INPUT_VERIFICATION: gateway.contracts.inputVerification,
  GATEWAY__CONTRACTS__FEE_TOKEN: gateway.contracts.feeToken,
  GATEWAY__CONTRACTS__PROTOCOL_PAYMENT: gateway.contracts.protocolPayment,
  GATEWAY__USER_DECRYPT_SHARES_THRESHOLD: thresholds.userDecryption,
  LISTENER__ENDPOINTS: `devnet=${gateway.ws}`,
  SIGNER__PRIVATE_KEY: relayers[0].privateKey,
  PROTOCOL_CONFIG__RPC: `devnet-host=${host.http}`,
  PROTOCOL_CONFIG__ADDRESS: host.contracts.protocolConfig,
  KEYURL__KMS_GENERATION_ADDRESS: host.contracts.kmsGeneration,
  KEYURL__POLL_INTERVAL: '2s',
  SHARE_SCHEDULER__ENABLED: true,
  SHARE_SCHEDULER__WITNESS_KEYS_FILE: voteChain.witnessKeyFile,
  SHARE_SCHEDULER__CHAIN: `devnet=${voteChain.url}`,
  SHARE_SCHEDULER__CHAIN_NODE: `devnet=${voteChain.url}`,
  SHARE_SCHEDULER__PROVER_COMMAND: voteChain.prover.join(' '),
  SHARE_SCHEDULER__EXPOSE_QUEUE_STATUS: true,
};
hosts.forEach(({ chainId, http, contracts }, index) => {
  lines[`HOST_CHAINS__${index}__CHAIN_ID`] = chainId;
  lines[`HOST_CHAINS__${index}__URL`] = `devnet-${chainId}=${http}`;
  lines[`HOST_CHAINS__${index}__ACL_ADDRESS`] = contracts.acl;
});
for (const [name, value] of Object.entries(lines)) console.log(`RELAYER_${name}=${value}`);
