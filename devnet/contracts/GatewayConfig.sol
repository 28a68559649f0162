// SPDX-License-Identifier: UNLICENSED
// Who answers on this gateway, which host chains it knows, and what each KMS context asks for.
pragma solidity 0.8.24;

import { GatewayErrors, Owned } from "./GatewayTypes.sol";

contract GatewayConfig is Owned, GatewayErrors {
    struct Context {
        bool alive;
        uint256 publicDecryptionThreshold;
        uint256 userDecryptionThreshold;
    }

    mapping(uint256 chainId => bool) public hostChainRegistered;
    mapping(uint256 chainId => bool) public hostChainDisabled;
    mapping(address txSender => bool) public isCoprocessor;
    mapping(address txSender => bool) public isKmsNode;
    uint256 public coprocessorThreshold;
    uint256 public currentContext;
    mapping(uint256 contextId => Context) private _contexts;
    address[] private _coprocessors;

    constructor(
        uint256[] memory hostChains,
        address[] memory coprocessors,
        uint256 coprocessorThreshold_,
        address[] memory kmsNodes,
        uint256 contextId,
        uint256 publicThreshold,
        uint256 userThreshold
    ) {
        for (uint256 i = 0; i < hostChains.length; ++i) hostChainRegistered[hostChains[i]] = true;
        for (uint256 i = 0; i < coprocessors.length; ++i) isCoprocessor[coprocessors[i]] = true;
        for (uint256 i = 0; i < kmsNodes.length; ++i) isKmsNode[kmsNodes[i]] = true;
        _coprocessors = coprocessors;
        coprocessorThreshold = coprocessorThreshold_;
        _contexts[contextId] = Context(true, publicThreshold, userThreshold);
        currentContext = contextId;
    }

    function getCoprocessorTxSenders() external view returns (address[] memory) {
        return _coprocessors;
    }

    function setHostChain(uint256 chainId, bool registered, bool disabled) external onlyOwner {
        hostChainRegistered[chainId] = registered;
        hostChainDisabled[chainId] = disabled;
    }

    function setCoprocessorThreshold(uint256 value) external onlyOwner {
        coprocessorThreshold = value;
    }

    function setContext(
        uint256 contextId,
        bool alive,
        uint256 publicThreshold,
        uint256 userThreshold
    ) external onlyOwner {
        _contexts[contextId] = Context(alive, publicThreshold, userThreshold);
    }

    function setCurrentContext(uint256 contextId) external onlyOwner {
        currentContext = contextId;
    }

    function getContext(uint256 contextId) external view returns (Context memory) {
        return _contexts[contextId];
    }

    function requireHostChain(uint256 chainId) external view {
        if (!hostChainRegistered[chainId]) revert HostChainNotRegistered(chainId);
        if (hostChainDisabled[chainId]) revert HostChainDisabled(chainId);
    }

    // The context that extra data names: none or version 0 means the current one.
    function contextOf(bytes calldata extraData) external view returns (uint256) {
        if (extraData.length == 0 || extraData[0] == 0) return currentContext;
        uint8 version = uint8(extraData[0]);
        if (version > 2) revert UnsupportedExtraDataVersion(version);
        if (extraData.length < 33) revert InvalidExtraDataLength(extraData.length, 33);
        uint256 contextId = uint256(bytes32(extraData[1:33]));
        if (contextId == 0) revert InvalidNullContextId();
        if (!_contexts[contextId].alive) revert InvalidKmsContext(contextId);
        return contextId;
    }
}
