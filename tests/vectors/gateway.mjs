// Calls and events of the gateway's contracts, transactions, typed data.
import { Interface, SigningKey, Transaction, TypedDataEncoder, computeAddress } from "ethers";

const CONTRACTS = new Interface([
  "function verifyProofRequest(uint256 contractChainId, address contractAddress, address userAddress, bytes ciphertextWithZKProof, bytes extraData)",
  "function publicDecryptionRequest(bytes32[] ctHandles, bytes extraData)",
  "function userDecryptionRequest(tuple(bytes32 ctHandle, address contractAddress)[] pairs, tuple(uint256 startTimestamp, uint256 durationDays) validity, tuple(uint256 chainId, address[] addresses) contracts, address userAddress, bytes publicKey, bytes signature, bytes extraData)",
  "function delegatedUserDecryptionRequest(tuple(bytes32 ctHandle, address contractAddress)[] pairs, tuple(uint256 startTimestamp, uint256 durationDays) validity, tuple(address delegatorAddress, address delegateAddress) accounts, tuple(uint256 chainId, address[] addresses) contracts, bytes publicKey, bytes signature, bytes extraData)",
  "function userDecryptionRequest(tuple(bytes32 handle, address contractAddress, address ownerAddress)[] handles, address userAddress, bytes publicKey, address[] allowedContracts, tuple(uint256 startTimestamp, uint256 durationSeconds) validity, bytes signature, bytes extraData)",
  "function isPublicDecryptionReady(bytes32[] ctHandles, bytes extraData)",
  "function isUserDecryptionReady(tuple(bytes32 ctHandle, address contractAddress)[] pairs, bytes extraData)",
  "function getUserDecryptionThresholdForContext(uint256 contextId)",
  "event VerifyProofRequest(uint256 indexed zkProofId, uint256 indexed contractChainId, address contractAddress, address userAddress, bytes ciphertextWithZKProof, bytes extraData)",
  "event VerifyProofResponse(uint256 indexed zkProofId, bytes32[] ctHandles, bytes[] signatures)",
  "event RejectProofResponse(uint256 indexed zkProofId)",
  "event PublicDecryptionRequest(uint256 indexed decryptionId, tuple(bytes32 ctHandle, uint256 keyId, bytes32 digest, address[] senders)[] materials, bytes extraData)",
  "event PublicDecryptionRequest(uint256 indexed decryptionId, bytes32[] ctHandles, bytes extraData)",
  "event PublicDecryptionResponse(uint256 indexed decryptionId, bytes decryptedResult, bytes[] signatures, bytes extraData)",
  "event UserDecryptionRequest(uint256 indexed decryptionId, bytes32[] ctHandles, address userAddress, bytes publicKey, bytes extraData)",
  "event UserDecryptionResponse(uint256 indexed decryptionId, uint256 indexShare, bytes userDecryptedShare, bytes signature, bytes extraData)",
  "event UserDecryptionResponseThresholdReached(uint256 indexed decryptionId)",
]);
const DIRECT = "0xf1b57adb";
const UNIFIED = "0xb4de2c37";

const text = (value) =>
  JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? inner.toString() : inner));

const pair = (draw) => [draw.hash(), draw.address()];
const entry = (draw) => [draw.hash(), draw.address(), draw.address()];

const CALLS = {
  verifyProofRequest: (draw) =>
    [draw.number(64), draw.address(), draw.address(), draw.bytes(300), draw.bytes(66)],
  publicDecryptionRequest: (draw) => [draw.many(6, () => draw.hash()), draw.bytes(66)],
  [DIRECT]: (draw) =>
    [draw.many(4, () => pair(draw)), [draw.number(64), draw.number(32)],
      [draw.number(64), draw.many(4, () => draw.address())], draw.address(), draw.bytes(),
      draw.bytes(), draw.bytes(66)],
  delegatedUserDecryptionRequest: (draw) =>
    [draw.many(4, () => pair(draw)), [draw.number(64), draw.number(32)],
      [draw.address(), draw.address()], [draw.number(64), draw.many(4, () => draw.address())],
      draw.bytes(), draw.bytes(), draw.bytes(66)],
  [UNIFIED]: (draw) =>
    [draw.many(4, () => entry(draw)), draw.address(), draw.bytes(),
      draw.many(4, () => draw.address()), [draw.number(64), draw.number(64)], draw.bytes(),
      draw.bytes(66)],
  isPublicDecryptionReady: (draw) => [draw.many(6, () => draw.hash()), draw.bytes(66)],
  isUserDecryptionReady: (draw) => [draw.many(6, () => pair(draw)), draw.bytes(66)],
  getUserDecryptionThresholdForContext: (draw) => [draw.hash()],
};
const CALL_NAMES = { [DIRECT]: "direct", [UNIFIED]: "unified" };

export function calls(draw, count) {
  const rows = [];
  for (const [call, values] of Object.entries(CALLS)) {
    for (let i = 0; i < count / 4; ++i) {
      const args = values(draw);
      rows.push([CALL_NAMES[call] ?? call, text(args), CONTRACTS.encodeFunctionData(call, args)]);
    }
  }
  const proof = [1n, draw.address(), draw.address(), "0x" + "5a".repeat(300000), "0x00"];
  rows.push(["verifyProofRequest", text(proof),
    CONTRACTS.encodeFunctionData("verifyProofRequest", proof)]);
  return rows;
}

const id = (draw) => draw.number(256);
const material = (draw) =>
  [draw.hash(), draw.number(256), draw.hash(), draw.many(3, () => draw.address())];
const SHORT_PUBLIC = "PublicDecryptionRequest(uint256,bytes32[],bytes)";
const LONG_PUBLIC =
  "PublicDecryptionRequest(uint256,(bytes32,uint256,bytes32,address[])[],bytes)";

const EVENTS = {
  VerifyProofResponse: (draw) =>
    [id(draw), draw.many(5, () => draw.hash()), draw.many(5, () => draw.bytes(80))],
  PublicDecryptionResponse: (draw) =>
    [id(draw), draw.bytes(), draw.many(5, () => draw.bytes(80)), draw.bytes(66)],
  UserDecryptionResponse: (draw) =>
    [id(draw), draw.number(31), draw.bytes(200), draw.bytes(70), draw.bytes(66)],
  RejectProofResponse: (draw) => [id(draw)],
  UserDecryptionResponseThresholdReached: (draw) => [id(draw)],
  VerifyProofRequest: (draw) =>
    [id(draw), draw.number(64), draw.address(), draw.address(), draw.bytes(), draw.bytes(66)],
  [SHORT_PUBLIC]: (draw) => [id(draw), draw.many(5, () => draw.hash()), draw.bytes(66)],
  [LONG_PUBLIC]: (draw) => [id(draw), draw.many(3, () => material(draw)), draw.bytes(66)],
  UserDecryptionRequest: (draw) =>
    [id(draw), draw.many(5, () => draw.hash()), draw.address(), draw.bytes(), draw.bytes(66)],
};

export function events(draw, count) {
  const rows = [];
  for (const [event, values] of Object.entries(EVENTS)) {
    const withData = event.endsWith("Response") && event !== "RejectProofResponse";
    for (let i = 0; i < (withData ? count / 3 : count / 20); ++i) {
      const args = values(draw);
      const { topics, data } = CONTRACTS.encodeEventLog(event, args);
      rows.push([event.split("(")[0], text(args), topics.join(","), data]);
    }
  }
  const share = [1n, 2147483648n, "0x11", "0x22", "0x00"]; // an index that is not stored
  const { topics, data } = CONTRACTS.encodeEventLog("UserDecryptionResponse", share);
  rows.push(["Malformed", text(share), topics.join(","), data]);
  return rows;
}

export function transactions(draw, count) {
  const keys = Array.from({ length: 32 }, () => new SigningKey(draw.fresh(32)));
  const rows = [];
  for (let i = 0; i < 2 * count; ++i) {
    const type = i % 2 === 0 ? 2 : 0;
    const transaction = new Transaction();
    transaction.type = type;
    // ethers takes chain id and nonce as they are only while a double holds them exactly.
    transaction.chainId = 1n + draw.number(52);
    transaction.nonce = Number(draw.number(52));
    transaction.gasLimit = draw.number(63);
    const fee = draw.number(draw.one([40, 64, 96, 256]));
    if (type === 2) {
      transaction.maxFeePerGas = fee;
      transaction.maxPriorityFeePerGas = fee >> BigInt(draw.below(8));
    } else {
      transaction.gasPrice = fee;
    }
    transaction.to = draw.address();
    transaction.value = draw.chance(60) ? 0n : draw.number(draw.one([64, 128, 256]));
    transaction.data = draw.bytes(150);
    const key = draw.one(keys);
    transaction.signature = key.sign(transaction.unsignedHash);
    // The digest that was signed is not written down: the sender is right only if it is.
    rows.push([text([transaction.chainId, BigInt(transaction.nonce), transaction.gasLimit, fee,
      transaction.maxPriorityFeePerGas ?? null, transaction.to, transaction.value, transaction.data]),
      key.privateKey, transaction.serialized, transaction.hash, computeAddress(key)]);
  }
  return rows;
}

const typed = (list) =>
  list.split(",").map((field) => ({ type: field.split(" ")[0], name: field.split(" ")[1] }));
const REQUEST = "UserDecryptRequestVerification";
const STRUCTS = {
  direct: [REQUEST, typed("bytes publicKey,address[] contractAddresses,uint256 startTimestamp,uint256 durationDays,bytes extraData"),
    (draw) => [draw.bytes(80), draw.many(3, () => draw.address()), draw.number(64), draw.number(32), draw.bytes(66)]],
  delegated: ["DelegatedUserDecryptRequestVerification", typed("bytes publicKey,address[] contractAddresses,address delegatorAddress,uint256 startTimestamp,uint256 durationDays,bytes extraData"),
    (draw) => [draw.bytes(80), draw.many(3, () => draw.address()), draw.address(), draw.number(64), draw.number(32), draw.bytes(66)]],
  unified: [REQUEST, typed("address userAddress,bytes publicKey,address[] allowedContracts,uint256 startTimestamp,uint256 durationSeconds,bytes extraData"),
    (draw) => [draw.address(), draw.bytes(80), draw.many(3, () => draw.address()), draw.number(64), draw.number(64), draw.bytes(66)]],
  public: ["PublicDecryptVerification", typed("bytes32[] ctHandles,bytes decryptedResult,bytes extraData"),
    (draw) => [draw.many(4, () => draw.hash()), draw.bytes(80), draw.bytes(66)]],
  share: ["UserDecryptResponseVerification", typed("bytes publicKey,bytes32[] ctHandles,bytes userDecryptedShare,bytes extraData"),
    (draw) => [draw.bytes(80), draw.many(4, () => draw.hash()), draw.bytes(80), draw.bytes(66)]],
  input: ["CiphertextVerification", typed("bytes32[] ctHandles,address userAddress,address contractAddress,uint256 contractChainId,bytes extraData"),
    (draw) => [draw.many(4, () => draw.hash()), draw.address(), draw.address(), draw.number(64), draw.bytes(66)]],
};

export function typedData(draw, count) {
  const rows = [];
  const chains = Array.from({ length: 32 }, () => draw.number(64));
  for (const [kind, [name, fields, values]] of Object.entries(STRUCTS)) {
    for (let i = 0; i < count; ++i) {
      const domain = { name: kind === "input" ? "InputVerification" : "Decryption", version: "1",
        chainId: draw.one(chains), verifyingContract: draw.address() };
      const drawn = values(draw);
      const message = Object.fromEntries(fields.map((field, at) => [field.name, drawn[at]]));
      rows.push([kind, domain.chainId, domain.verifyingContract, text(drawn),
        TypedDataEncoder.hash(domain, { [name]: fields }, message)]);
    }
  }
  return rows;
}
