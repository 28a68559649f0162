// SPDX-License-Identifier: UNLICENSED
// What a decryption request must keep before it gets an id, and how its v2 signature is checked.
pragma solidity 0.8.24;

import { GatewayConfig } from "./GatewayConfig.sol";
import {
    CtHandleContractPair,
    ContractsInfo,
    HandleEntry,
    Pausable,
    RequestValidity,
    RequestValiditySeconds
} from "./GatewayTypes.sol";

// A direct or a delegated request of version 2; `user` is who signs.
struct PairsRequest {
    CtHandleContractPair[] pairs;
    RequestValidity validity;
    ContractsInfo contracts;
    address user;
    bytes publicKey;
    bytes signature;
    bytes extraData;
}

abstract contract RequestChecks is Pausable {
    uint256 internal constant MAX_BITS = 2048;
    uint256 internal constant MAX_CONTRACTS = 10;
    uint256 internal constant MAX_DAYS = 365;
    uint8 internal constant FHE_TYPES = 84;

    bytes32 private constant DOMAIN_TYPE = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant USER_TYPE = keccak256(
        "UserDecryptRequestVerification(bytes publicKey,address[] contractAddresses,"
        "uint256 startTimestamp,uint256 durationDays,bytes extraData)"
    );
    bytes32 private constant DELEGATED_TYPE = keccak256(
        "DelegatedUserDecryptRequestVerification(bytes publicKey,address[] contractAddresses,"
        "address delegatorAddress,uint256 startTimestamp,uint256 durationDays,bytes extraData)"
    );

    bool public checksSignatures = true;

    function setChecksSignatures(bool value) external onlyOwner {
        checksSignatures = value;
    }

    function chainIdOf(bytes32 handle) internal pure returns (uint256) {
        return uint64(uint256(handle) >> 16);
    }

    // Of bool and the integers only; how many clear bits they hold together is limited.
    function checkTypes(bytes32[] memory handles) internal pure {
        uint16[9] memory bits = [2, 0, 8, 16, 32, 64, 128, 160, 256];
        uint256 total = 0;
        for (uint256 i = 0; i < handles.length; ++i) {
            uint8 fheType = uint8(uint256(handles[i]) >> 8);
            if (fheType >= FHE_TYPES) revert InvalidFHEType(fheType);
            if (fheType >= bits.length || bits[fheType] == 0) revert UnsupportedFHEType(fheType);
            total += bits[fheType];
        }
        if (total > MAX_BITS) revert MaxDecryptionRequestBitSizeExceeded(MAX_BITS, total);
    }

    function checkHostChains(GatewayConfig config, bytes32[] memory handles) internal view {
        for (uint256 i = 0; i < handles.length; ++i) config.requireHostChain(chainIdOf(handles[i]));
    }

    function checkContracts(address[] memory contracts) internal pure {
        if (contracts.length > MAX_CONTRACTS)
            revert ContractAddressesMaxLengthExceeded(MAX_CONTRACTS, contracts.length);
    }

    function checkValidity(RequestValidity memory validity) internal view {
        if (validity.durationDays == 0) revert InvalidNullDurationDays();
        if (validity.durationDays > MAX_DAYS)
            revert MaxDurationDaysExceeded(MAX_DAYS, validity.durationDays);
        if (validity.startTimestamp > block.timestamp)
            revert StartTimestampInFuture(block.timestamp, validity.startTimestamp);
        if (validity.startTimestamp + validity.durationDays * 1 days < block.timestamp)
            revert UserDecryptionRequestExpired(block.timestamp, validity);
    }

    function checkValidity(RequestValiditySeconds memory validity) internal view {
        if (validity.durationSeconds == 0) revert InvalidNullDurationSeconds();
        if (validity.durationSeconds > MAX_DAYS * 1 days)
            revert MaxDurationSecondsExceeded(MAX_DAYS * 1 days, validity.durationSeconds);
        if (validity.startTimestamp > block.timestamp)
            revert StartTimestampInFuture(block.timestamp, validity.startTimestamp);
        if (validity.startTimestamp + validity.durationSeconds < block.timestamp)
            revert UserDecryptionRequestExpiredSeconds(block.timestamp, validity);
    }

    function listed(address what, address[] memory list) internal pure returns (bool) {
        for (uint256 i = 0; i < list.length; ++i) if (list[i] == what) return true;
        return false;
    }

    function handlesOfPairs(CtHandleContractPair[] memory pairs, ContractsInfo memory contracts)
        internal
        pure
        returns (bytes32[] memory handles)
    {
        handles = new bytes32[](pairs.length);
        for (uint256 i = 0; i < pairs.length; ++i) {
            bytes32 handle = pairs[i].ctHandle;
            if (chainIdOf(handle) != contracts.chainId)
                revert CtHandleChainIdDiffersFromContractChainId(
                    handle, chainIdOf(handle), contracts.chainId
                );
            if (!listed(pairs[i].contractAddress, contracts.addresses))
                revert ContractNotInContractAddresses(
                    pairs[i].contractAddress, contracts.addresses
                );
            handles[i] = handle;
        }
        checkTypes(handles);
    }

    function handlesOfEntries(HandleEntry[] memory entries)
        internal
        pure
        returns (bytes32[] memory handles)
    {
        handles = new bytes32[](entries.length);
        for (uint256 i = 0; i < entries.length; ++i) handles[i] = entries[i].handle;
        checkTypes(handles);
    }

    function userStruct(PairsRequest memory r) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                USER_TYPE,
                keccak256(r.publicKey),
                keccak256(abi.encodePacked(r.contracts.addresses)),
                r.validity.startTimestamp,
                r.validity.durationDays,
                keccak256(r.extraData)
            )
        );
    }

    function delegatedStruct(PairsRequest memory r, address delegator)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                DELEGATED_TYPE,
                keccak256(r.publicKey),
                keccak256(abi.encodePacked(r.contracts.addresses)),
                delegator,
                r.validity.startTimestamp,
                r.validity.durationDays,
                keccak256(r.extraData)
            )
        );
    }

    // Users sign for the host chain that their contracts are on.
    function checkSignature(
        bytes32 structHash,
        uint256 hostChainId,
        address signer,
        bytes memory signature
    ) internal view {
        if (!checksSignatures) return;
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPE, keccak256("Decryption"), keccak256("1"), hostChainId, address(this)
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, structHash));
        if (signature.length != 65) revert ECDSAInvalidSignatureLength(signature.length);
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        if (uint256(s) > 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0)
            revert ECDSAInvalidSignatureS(s);
        address actual = ecrecover(digest, v, r, s);
        if (actual == address(0)) revert ECDSAInvalidSignature();
        if (actual != signer) revert InvalidUserSignature(signature);
    }
}
