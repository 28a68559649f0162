// Who plays on the devnet: every account has a fixed key, so that addresses are the same each time.
// These keys are known to everybody and worth nothing.

import { ethers } from 'ethers';

export const GATEWAY_CHAIN = 654321;
export const HOST_CHAINS = [8009, 9001];

// The byte on top says what the number identifies.
const tagged = (tag, number) => '0x' + tag + number.toString(16).padStart(62, '0');
export const CONTEXT_ID = tagged('07', 1);
export const EPOCH_ID = tagged('08', 1);
export const KEY_ID = tagged('04', 1);
export const CRS_ID = tagged('05', 1);

export function account(role, index = 0) {
  const key = ethers.id(`relayer devnet ${role} ${index}`);
  return new ethers.Wallet(key);
}

// Deploys a chain's contracts and may turn their switches; another one for each chain, so that no
// address means something on two of them.
export const ownerOf = (chainId) => account('owner', chainId);

const several = (count, role) => Array.from({ length: count }, (_, index) => account(role, index));

export function makeCast({ coprocessors, kmsNodes, relayers }) {
  return {
    users: several(4, 'user'),
    relayers: several(relayers, 'relayer'),
    coprocessors: several(coprocessors, 'coprocessor').map((sender, index) => ({
      name: `coprocessor ${index}`,
      index,
      sender,
      signer: account('coprocessor signer', index),
    })),
    kmsNodes: several(kmsNodes, 'kms node').map((sender, index) => ({
      name: `kms node ${index}`,
      index,
      sender,
      signer: account('kms signer', index),
    })),
  };
}

export const revealed = (wallet) => ({ address: wallet.address, privateKey: wallet.privateKey });
