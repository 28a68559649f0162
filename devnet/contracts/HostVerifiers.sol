// SPDX-License-Identifier: UNLICENSED
// What a client reads on a host chain to check answers by itself: whose signatures count, how many of
// them are enough, and under which EIP-712 domain of the gateway they are made. Nothing is verified here.
pragma solidity 0.8.24;

import { Owned } from "./GatewayTypes.sol";

abstract contract GatewayDomain {
    uint256 private immutable _gatewayChainId;
    address private immutable _verifyingContract;

    constructor(uint256 gatewayChainId, address verifyingContract) {
        _gatewayChainId = gatewayChainId;
        _verifyingContract = verifyingContract;
    }

    function _domainName() internal pure virtual returns (string memory);

    // ERC-5267; 0x0f: name, version, chain id and contract are given, a salt is not.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (
            0x0f,
            _domainName(),
            "1",
            _gatewayChainId,
            _verifyingContract,
            bytes32(0),
            new uint256[](0)
        );
    }
}

contract InputVerifier is Owned, GatewayDomain {
    address[] private _signers;
    uint256 private _threshold;

    constructor(
        uint256 gatewayChainId,
        address inputVerification,
        address[] memory signers,
        uint256 threshold
    ) GatewayDomain(gatewayChainId, inputVerification) {
        (_signers, _threshold) = (signers, threshold);
    }

    function defineSigners(address[] calldata signers, uint256 threshold) external onlyOwner {
        (_signers, _threshold) = (signers, threshold);
    }

    function getCoprocessorSigners() external view returns (address[] memory) {
        return _signers;
    }

    function getThreshold() external view returns (uint256) {
        return _threshold;
    }

    function getVersion() external pure returns (string memory) {
        return "InputVerifier v0.2.0";
    }

    function _domainName() internal pure override returns (string memory) {
        return "InputVerification";
    }
}

contract KMSVerifier is Owned, GatewayDomain {
    error InvalidKMSContext(uint256 kmsContextId);
    error UnsupportedExtraData(bytes extraData);

    struct Context {
        address[] signers;
        uint256 threshold;
    }

    uint256 private _contextId;
    mapping(uint256 contextId => Context) private _contexts;

    constructor(
        uint256 gatewayChainId,
        address decryption,
        uint256 contextId,
        address[] memory signers,
        uint256 threshold
    ) GatewayDomain(gatewayChainId, decryption) {
        (_contextId, _contexts[contextId]) = (contextId, Context(signers, threshold));
    }

    // The first signer is party 1 of the shared key, and so on.
    function defineContext(uint256 contextId, address[] calldata signers, uint256 threshold)
        external
        onlyOwner
    {
        (_contextId, _contexts[contextId]) = (contextId, Context(signers, threshold));
    }

    function getCurrentKmsContextId() external view returns (uint256) {
        return _contextId;
    }

    function getKmsSigners() external view returns (address[] memory) {
        return _contexts[_contextId].signers;
    }

    function getThreshold() external view returns (uint256) {
        return _contexts[_contextId].threshold;
    }

    function getSignersForKmsContext(uint256 contextId) external view returns (address[] memory) {
        return _known(contextId).signers;
    }

    function getContextSignersAndThresholdFromExtraData(bytes calldata extraData)
        external
        view
        returns (address[] memory, uint256)
    {
        Context storage context = _known(_contextOf(extraData));
        return (context.signers, context.threshold);
    }

    // From 0.2 on clients name the context in their extra data.
    function getVersion() external pure returns (string memory) {
        return "KMSVerifier v0.2.0";
    }

    function _domainName() internal pure override returns (string memory) {
        return "Decryption";
    }

    function _contextOf(bytes calldata extraData) private view returns (uint256) {
        if (extraData.length == 0 || extraData[0] == 0) return _contextId;
        uint8 version = uint8(extraData[0]);
        if (version > 2 || extraData.length < 33) revert UnsupportedExtraData(extraData);
        return uint256(bytes32(extraData[1:33]));
    }

    function _known(uint256 contextId) private view returns (Context storage context) {
        context = _contexts[contextId];
        if (context.threshold == 0) revert InvalidKMSContext(contextId);
    }
}
