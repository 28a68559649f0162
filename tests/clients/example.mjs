import fs from 'node:fs';
import { createInstance } from 'relayer-sdk-0.4.3/node'; // '@zama-fhe/relayer-sdk/node' elsewhere

const [, , file = '../../var/devnet/devnet.json', relayer = 'http://127.0.0.1:8088'] = process.argv;
const { gateway, hosts: [host], users: [user] } = JSON.parse(fs.readFileSync(file, 'utf8'));
const fhevm = await createInstance({
  relayerUrl: `${relayer}/v2`,
  network: host.http,
  chainId: host.chainId,
  aclContractAddress: host.contracts.acl,
  kmsContractAddress: host.contracts.kmsVerifier,
  inputVerifierContractAddress: host.contracts.inputVerifier,
  gatewayChainId: gateway.chainId,
  verifyingContractAddressDecryption: gateway.contracts.decryption,
  verifyingContractAddressInputVerification: gateway.contracts.inputVerification,
});
const input = fhevm.createEncryptedInput('0x1111111111111111111111111111111111111111', user.address);
const { handles: [handle] } = await input.add64(42n).encrypt();
const [value] = Object.values((await fhevm.publicDecrypt([handle])).clearValues);
console.log(value); // of the handle, not 42: nothing is computed on the devnet
