// SPDX-License-Identifier: UNLICENSED
// What the gateway's contracts take and say: tuples of the ABI, errors, and who may do what.
pragma solidity 0.8.24;

struct CtHandleContractPair {
    bytes32 ctHandle;
    address contractAddress;
}

struct HandleEntry {
    bytes32 handle;
    address contractAddress;
    address ownerAddress;
}

struct RequestValidity {
    uint256 startTimestamp;
    uint256 durationDays;
}

struct RequestValiditySeconds {
    uint256 startTimestamp;
    uint256 durationSeconds;
}

struct ContractsInfo {
    uint256 chainId;
    address[] addresses;
}

struct DelegationAccounts {
    address delegatorAddress;
    address delegateAddress;
}

struct SnsCiphertextMaterial {
    bytes32 ctHandle;
    uint256 keyId;
    bytes32 snsCiphertextDigest;
    address[] coprocessorTxSenderAddresses;
}

struct UserDecryptionRequestPayload {
    address userAddress;
    bytes publicKey;
    address[] allowedContracts;
    RequestValiditySeconds requestValidity;
    bytes extraData;
    bytes signature;
}

// The selectors of these are what clients and relayers tell errors by.
interface GatewayErrors {
    error EnforcedPause();
    error HostChainNotRegistered(uint256 chainId);
    error HostChainDisabled(uint256 chainId);

    error EmptyCtHandles();
    error EmptyCtHandleContractPairs();
    error EmptyHandles();
    error InvalidFHEType(uint8 fheType);
    error UnsupportedFHEType(uint8 fheType);
    error MaxDecryptionRequestBitSizeExceeded(uint256 most, uint256 actual);
    error CiphertextMaterialNotFound(bytes32 ctHandle);
    error DifferentKeyIdsNotAllowed(SnsCiphertextMaterial first, SnsCiphertextMaterial invalid);

    error UnsupportedExtraDataVersion(uint8 version);
    error InvalidExtraDataLength(uint256 length, uint256 least);
    error InvalidNullContextId();
    error InvalidKmsContext(uint256 contextId);

    error EmptyContractAddresses();
    error ContractAddressesMaxLengthExceeded(uint256 most, uint256 actual);
    error InvalidNullDurationDays();
    error MaxDurationDaysExceeded(uint256 most, uint256 actual);
    error InvalidNullDurationSeconds();
    error MaxDurationSecondsExceeded(uint256 most, uint256 actual);
    error StartTimestampInFuture(uint256 timestamp, uint256 startTimestamp);
    error UserDecryptionRequestExpired(uint256 timestamp, RequestValidity requestValidity);
    error UserDecryptionRequestExpiredSeconds(
        uint256 timestamp,
        RequestValiditySeconds requestValidity
    );
    error UserAddressInContractAddresses(address userAddress, address[] contractAddresses);
    error DelegatorAddressInContractAddresses(address delegator, address[] contractAddresses);
    error CtHandleChainIdDiffersFromContractChainId(
        bytes32 ctHandle,
        uint256 chainId,
        uint256 contractChainId
    );
    error ContractNotInContractAddresses(address contractAddress, address[] contractAddresses);

    error InvalidUserSignature(bytes signature);
    error ECDSAInvalidSignature();
    error ECDSAInvalidSignatureLength(uint256 length);
    error ECDSAInvalidSignatureS(bytes32 s);

    // Answers of coprocessors and KMS nodes.
    error NotCoprocessorTxSender(address txSender);
    error NotKmsTxSender(address txSender);
    error VerifyProofNotRequested(uint256 zkProofId);
    error DecryptionNotRequested(uint256 decryptionId);
    error AlreadyResponded(uint256 id, address txSender);
    error DecryptionContextMismatch(uint256 decryptionId, uint256 requested, uint256 answered);
}

// One account may turn the switches of the devnet.
abstract contract Owned {
    error NotOwner(address sender);

    address public owner = msg.sender;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _;
    }
}

// The real contracts stand behind a pausing interface; a paused one refuses requests and answers.
abstract contract Pausable is Owned, GatewayErrors {
    bool public paused;

    function setPaused(bool value) external onlyOwner {
        paused = value;
    }

    modifier whenNotPaused() {
        if (paused) revert EnforcedPause();
        _;
    }
}
