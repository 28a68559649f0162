// What the relayer needs to know about a devnet, as NAME=VALUE lines for its environment.

import fs from 'node:fs';

const { gateway, hosts, relayers, thresholds } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const [host] = hosts;

const lines = {
  GATEWAY__CHAIN_ID: gateway.chainId,
  GATEWAY__RPC__READ: `devnet=${gateway.http}`,
  GATEWAY__CONTRACTS__DECRYPTION: gateway.contracts.decryption,
  GATEWAY__CONTRACTS__INPUT_VERIFICATION: gateway.contracts.inputVerification,
  GATEWAY__USER_DECRYPT_SHARES_THRESHOLD: thresholds.userDecryption,
  LISTENER__ENDPOINTS: `devnet=${gateway.ws}`,
  SIGNER__PRIVATE_KEY: relayers[0].privateKey,
  PROTOCOL_CONFIG__RPC: `devnet-host=${host.http}`,
  PROTOCOL_CONFIG__ADDRESS: host.contracts.protocolConfig,
  KEYURL__KMS_GENERATION_ADDRESS: host.contracts.kmsGeneration,
  KEYURL__POLL_INTERVAL: '2s',
};
hosts.forEach(({ chainId, http, contracts }, index) => {
  lines[`HOST_CHAINS__${index}__CHAIN_ID`] = chainId;
  lines[`HOST_CHAINS__${index}__URL`] = `devnet-${chainId}=${http}`;
  lines[`HOST_CHAINS__${index}__ACL_ADDRESS`] = contracts.acl;
});
for (const [name, value] of Object.entries(lines)) console.log(`RELAYER_${name}=${value}`);
