// SPDX-License-Identifier: UNLICENSED
// Which ciphertexts the coprocessors have put on the gateway. By itself every handle counts as
// there; with autoMaterial off only those that were added.
pragma solidity 0.8.24;

import { GatewayConfig } from "./GatewayConfig.sol";
import { GatewayErrors, Owned, SnsCiphertextMaterial } from "./GatewayTypes.sol";

contract CiphertextCommits is Owned, GatewayErrors {
    event AddCiphertextMaterial(
        bytes32 indexed ctHandle,
        uint256 keyId,
        bytes32 ciphertextDigest,
        bytes32 snsCiphertextDigest,
        address[] coprocessorTxSenderAddresses
    );

    GatewayConfig private immutable _config;
    uint256 private immutable _keyId;
    bool public autoMaterial = true;
    mapping(bytes32 ctHandle => bool) public hidden;
    mapping(bytes32 ctHandle => SnsCiphertextMaterial) private _materials;

    constructor(GatewayConfig config, uint256 keyId) {
        _config = config;
        _keyId = keyId;
    }

    function setAutoMaterial(bool value) external onlyOwner {
        autoMaterial = value;
    }

    // A handle that is not there although every other one is.
    function setHidden(bytes32 ctHandle, bool value) external onlyOwner {
        hidden[ctHandle] = value;
    }

    // On the devnet the first coprocessor's word is enough.
    function addCiphertextMaterial(
        bytes32 ctHandle,
        uint256 keyId,
        bytes32 ciphertextDigest,
        bytes32 snsCiphertextDigest
    ) external {
        if (!_config.isCoprocessor(msg.sender)) revert NotCoprocessorTxSender(msg.sender);
        address[] memory senders = _config.getCoprocessorTxSenders();
        _materials[ctHandle] =
            SnsCiphertextMaterial(ctHandle, keyId, snsCiphertextDigest, senders);
        emit AddCiphertextMaterial(
            ctHandle, keyId, ciphertextDigest, snsCiphertextDigest, senders
        );
    }

    function isCiphertextMaterialAdded(bytes32 ctHandle) public view returns (bool) {
        return !hidden[ctHandle] && (autoMaterial || _materials[ctHandle].ctHandle != 0);
    }

    function getSnsCiphertextMaterials(bytes32[] memory ctHandles)
        external
        view
        returns (SnsCiphertextMaterial[] memory materials)
    {
        materials = new SnsCiphertextMaterial[](ctHandles.length);
        for (uint256 i = 0; i < ctHandles.length; ++i) {
            bytes32 handle = ctHandles[i];
            if (!isCiphertextMaterialAdded(handle)) revert CiphertextMaterialNotFound(handle);
            materials[i] = _materials[handle];
            if (materials[i].ctHandle == 0)
                materials[i] = SnsCiphertextMaterial(
                    handle,
                    _keyId,
                    keccak256(abi.encode(handle)),
                    _config.getCoprocessorTxSenders()
                );
            if (materials[i].keyId != materials[0].keyId)
                revert DifferentKeyIdsNotAllowed(materials[0], materials[i]);
        }
    }
}
