// SPDX-License-Identifier: UNLICENSED
// A host chain's side: who may decrypt what, which KMS context and keys are current, and an account
// that is a contract.
pragma solidity 0.8.24;

import { Owned } from "./GatewayTypes.sol";

contract ACL is Owned {
    error AlreadyDelegatedOrRevokedInSameBlock(address delegator, address delegate, uint256 block_);
    error OutOfOrder();

    struct Delegation {
        uint64 expiresAt;
        uint64 changedIn;
    }

    address public constant WILDCARD = address(type(uint160).max);

    // Everything is allowed until it is switched off, so that a first try needs no permission.
    bool public allowsAll = true;
    bool public outOfOrder;
    mapping(bytes32 handle => bool) public denied;
    mapping(bytes32 handle => mapping(address account => bool)) private _allowed;
    mapping(bytes32 handle => bool) private _allowedForDecryption;
    mapping(address delegator => mapping(address delegate => mapping(address where => Delegation)))
        private _delegations;

    function setAllowsAll(bool value) external onlyOwner {
        allowsAll = value;
    }

    function setOutOfOrder(bool value) external onlyOwner {
        outOfOrder = value;
    }

    function setDenied(bytes32 handle, bool value) external onlyOwner {
        denied[handle] = value;
    }

    function allow(bytes32 handle, address account) external onlyOwner {
        _allowed[handle][account] = true;
    }

    function allowForDecryption(bytes32[] calldata handles) external onlyOwner {
        for (uint256 i = 0; i < handles.length; ++i) _allowedForDecryption[handles[i]] = true;
    }

    function delegateForUserDecryption(address delegate, address where, uint64 expiresAt) external {
        _delegate(delegate, where, expiresAt);
    }

    function revokeDelegationForUserDecryption(address delegate, address where) external {
        _delegate(delegate, where, 0);
    }

    function isAllowed(bytes32 handle, address account) public view returns (bool) {
        if (outOfOrder) revert OutOfOrder();
        return !denied[handle] && (allowsAll || _allowed[handle][account]);
    }

    function persistAllowed(bytes32 handle, address account) external view returns (bool) {
        return isAllowed(handle, account);
    }

    function isAllowedForDecryption(bytes32 handle) external view returns (bool) {
        if (outOfOrder) revert OutOfOrder();
        return !denied[handle] && (allowsAll || _allowedForDecryption[handle]);
    }

    function isHandleDelegatedForUserDecryption(
        address delegator,
        address delegate,
        address where,
        bytes32 handle
    ) external view returns (bool) {
        if (!isAllowed(handle, delegator) || !isAllowed(handle, where)) return false;
        return allowsAll || _delegations[delegator][delegate][where].expiresAt > block.timestamp
            || _delegations[delegator][delegate][WILDCARD].expiresAt > block.timestamp;
    }

    function multicall(bytes[] calldata calls) external returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool ok, bytes memory result) = address(this).delegatecall(calls[i]);
            if (!ok)
                assembly {
                    revert(add(result, 32), mload(result))
                }
            results[i] = result;
        }
    }

    function _delegate(address delegate, address where, uint64 expiresAt) private {
        Delegation storage delegation = _delegations[msg.sender][delegate][where];
        if (delegation.changedIn == block.number)
            revert AlreadyDelegatedOrRevokedInSameBlock(msg.sender, delegate, block.number);
        delegation.expiresAt = expiresAt;
        delegation.changedIn = uint64(block.number);
    }
}

struct KmsNodeParams {
    address txSenderAddress;
    address signerAddress;
    string ipAddress;
    string storageUrl;
    int32 partyId;
    string mpcIdentity;
    bytes caCert;
    string storagePrefix;
}

struct KmsThresholds {
    uint256 publicDecryption;
    uint256 userDecryption;
    uint256 kmsGen;
    uint256 mpc;
}

struct PcrValues {
    bytes pcr0;
    bytes pcr1;
    bytes pcr2;
}

contract ProtocolConfig is Owned {
    error InvalidKmsContext(uint256 contextId);

    event NewKmsContext(
        uint256 indexed contextId,
        uint256 indexed previousContextId,
        KmsNodeParams[] kmsNodeParams,
        KmsThresholds thresholds,
        string softwareVersion,
        PcrValues[] pcrValues
    );

    struct Context {
        uint256 emissionBlock;
        bytes32 infoHash;
        KmsThresholds thresholds;
    }

    uint256 private _contextId;
    uint256 private _epochId;
    mapping(uint256 contextId => Context) private _contexts;

    constructor(
        uint256 contextId,
        uint256 epochId,
        KmsNodeParams[] memory nodes,
        KmsThresholds memory thresholds
    ) {
        _define(contextId, epochId, nodes, thresholds);
    }

    function defineContext(
        uint256 contextId,
        uint256 epochId,
        KmsNodeParams[] memory nodes,
        KmsThresholds memory thresholds
    ) external onlyOwner {
        _define(contextId, epochId, nodes, thresholds);
    }

    function getCurrentKmsContextAndEpoch() external view returns (uint256, uint256) {
        return (_contextId, _epochId);
    }

    function getCurrentKmsContextId() external view returns (uint256) {
        return _contextId;
    }

    function getKmsContextAnchor(uint256 contextId) external view returns (uint256, bytes32) {
        Context storage context = _known(contextId);
        return (context.emissionBlock, context.infoHash);
    }

    function getUserDecryptionThresholdForContext(uint256 contextId)
        external
        view
        returns (uint256)
    {
        return _known(contextId).thresholds.userDecryption;
    }

    function getPublicDecryptionThresholdForContext(uint256 contextId)
        external
        view
        returns (uint256)
    {
        return _known(contextId).thresholds.publicDecryption;
    }

    function _known(uint256 contextId) private view returns (Context storage context) {
        context = _contexts[contextId];
        if (context.emissionBlock == 0) revert InvalidKmsContext(contextId);
    }

    function _define(
        uint256 contextId,
        uint256 epochId,
        KmsNodeParams[] memory nodes,
        KmsThresholds memory thresholds
    ) private {
        bytes32 infoHash = keccak256(abi.encode(nodes, thresholds));
        _contexts[contextId] = Context(block.number, infoHash, thresholds);
        emit NewKmsContext(
            contextId, _contextId, nodes, thresholds, "devnet", new PcrValues[](0)
        );
        (_contextId, _epochId) = (contextId, epochId);
    }
}

contract KMSGeneration is Owned {
    error KeyNotGenerated(uint256 keyId);
    error CrsNotGenerated(uint256 crsId);

    struct KeyDigest {
        uint8 keyType;
        bytes digest;
    }

    uint256 private _keyId;
    uint256 private _crsId;
    string[] private _urls;

    constructor(uint256 keyId, uint256 crsId, string[] memory urls) {
        _keyId = keyId;
        _crsId = crsId;
        _urls = urls;
    }

    function setActive(uint256 keyId, uint256 crsId) external onlyOwner {
        (_keyId, _crsId) = (keyId, crsId);
    }

    function getActiveKeyId() external view returns (uint256) {
        return _keyId;
    }

    function getActiveCrsId() external view returns (uint256) {
        return _crsId;
    }

    function getKeyMaterials(uint256 keyId)
        external
        view
        returns (string[] memory, KeyDigest[] memory digests)
    {
        if (keyId != _keyId) revert KeyNotGenerated(keyId);
        digests = new KeyDigest[](2);
        digests[0] = KeyDigest(0, abi.encode(keccak256("server key")));
        digests[1] = KeyDigest(1, abi.encode(keccak256("public key")));
        return (_urls, digests);
    }

    function getCrsMaterials(uint256 crsId) external view returns (string[] memory, bytes memory) {
        if (crsId != _crsId) revert CrsNotGenerated(crsId);
        return (_urls, abi.encode(keccak256("crs")));
    }
}

// A wallet that is a contract: says yes to what its one key signed, or misbehaves as told.
contract SmartAccount is Owned {
    error Refused();

    enum Mood {
        Honest,
        Reverts,
        WrongMagic,
        AnswersShort,
        BurnsGas
    }

    address public immutable key;
    Mood public mood;

    constructor(address key_) {
        key = key_;
    }

    function setMood(Mood value) external onlyOwner {
        mood = value;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature)
        external
        view
        returns (bytes4)
    {
        if (mood == Mood.Reverts) revert Refused();
        if (mood == Mood.BurnsGas) while (true) { }
        if (mood == Mood.AnswersShort)
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 4)
            }
        if (mood == Mood.WrongMagic || signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(digest, uint8(signature[64]), r, s) == key
            ? this.isValidSignature.selector
            : bytes4(0xffffffff);
    }
}
