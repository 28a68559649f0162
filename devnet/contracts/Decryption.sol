// SPDX-License-Identifier: UNLICENSED
// Public and user decryptions: requests with their two events each, the answers of KMS nodes, and
// what is said when enough of them have answered.
pragma solidity 0.8.24;

import { CiphertextCommits } from "./CiphertextCommits.sol";
import { ProtocolPayment } from "./FeeToken.sol";
import { GatewayConfig } from "./GatewayConfig.sol";
import { PairsRequest, RequestChecks } from "./RequestChecks.sol";
import {
    ContractsInfo,
    CtHandleContractPair,
    DelegationAccounts,
    HandleEntry,
    RequestValidity,
    RequestValiditySeconds,
    SnsCiphertextMaterial,
    UserDecryptionRequestPayload
} from "./GatewayTypes.sol";

contract Decryption is RequestChecks {
    event PublicDecryptionRequest(
        uint256 indexed decryptionId,
        SnsCiphertextMaterial[] snsCtMaterials,
        bytes extraData
    );
    event PublicDecryptionRequest(
        uint256 indexed decryptionId,
        bytes32[] ctHandles,
        bytes extraData
    );
    event PublicDecryptionResponseCall(
        uint256 indexed decryptionId,
        bytes decryptedResult,
        bytes signature,
        address kmsTxSender,
        bytes extraData
    );
    event PublicDecryptionResponse(
        uint256 indexed decryptionId,
        bytes decryptedResult,
        bytes[] signatures,
        bytes extraData
    );
    event UserDecryptionRequest(
        uint256 indexed decryptionId,
        SnsCiphertextMaterial[] snsCtMaterials,
        address userAddress,
        bytes publicKey,
        bytes extraData
    );
    event UserDecryptionRequest(
        uint256 indexed decryptionId,
        bytes32[] ctHandles,
        address userAddress,
        bytes publicKey,
        bytes extraData
    );
    event UserDecryptionRequest(
        uint256 indexed decryptionId,
        SnsCiphertextMaterial[] snsCtMaterials,
        HandleEntry[] handles,
        UserDecryptionRequestPayload payload
    );
    event UserDecryptionRequest(
        uint256 indexed decryptionId,
        HandleEntry[] handles,
        UserDecryptionRequestPayload payload
    );
    event UserDecryptionResponse(
        uint256 indexed decryptionId,
        uint256 indexShare,
        bytes userDecryptedShare,
        bytes signature,
        bytes extraData
    );
    event UserDecryptionResponseThresholdReached(uint256 indexed decryptionId);

    struct Request {
        uint256 contextId;
        uint256 shares;
        bool done;
    }

    GatewayConfig private immutable _config;
    CiphertextCommits private immutable _commits;
    ProtocolPayment private immutable _payment;
    uint256 public publicCounter = 1 << 248;
    uint256 public userCounter = 2 << 248;
    mapping(uint256 decryptionId => Request) private _requests;
    mapping(uint256 decryptionId => mapping(address txSender => bool)) public hasResponded;
    mapping(uint256 decryptionId => mapping(bytes32 digest => bytes[])) private _signatures;

    constructor(GatewayConfig config, CiphertextCommits commits, ProtocolPayment payment) {
        _config = config;
        _commits = commits;
        _payment = payment;
    }

    function publicDecryptionRequest(bytes32[] calldata ctHandles, bytes calldata extraData)
        external
        whenNotPaused
    {
        if (ctHandles.length == 0) revert EmptyCtHandles();
        checkHostChains(_config, ctHandles);
        checkTypes(ctHandles);
        uint256 id = ++publicCounter;
        _requests[id].contextId = _config.contextOf(extraData);
        SnsCiphertextMaterial[] memory materials = _commits.getSnsCiphertextMaterials(ctHandles);
        _payment.collectPublicDecryptionFee(msg.sender);
        emit PublicDecryptionRequest(id, materials, extraData);
        emit PublicDecryptionRequest(id, ctHandles, extraData);
    }

    // Three functions with more arguments than the stack has room for: they are read into memory.
    function userDecryptionRequest(
        CtHandleContractPair[] calldata,
        RequestValidity calldata,
        ContractsInfo calldata,
        address,
        bytes calldata,
        bytes calldata,
        bytes calldata
    ) external whenNotPaused {
        PairsRequest memory r;
        (r.pairs, r.validity, r.contracts, r.user, r.publicKey, r.signature, r.extraData) = abi
            .decode(
            msg.data[4:],
            (
                CtHandleContractPair[],
                RequestValidity,
                ContractsInfo,
                address,
                bytes,
                bytes,
                bytes
            )
        );
        if (listed(r.user, r.contracts.addresses))
            revert UserAddressInContractAddresses(r.user, r.contracts.addresses);
        _admit(r, userStruct(r));
    }

    function delegatedUserDecryptionRequest(
        CtHandleContractPair[] calldata,
        RequestValidity calldata,
        DelegationAccounts calldata accounts,
        ContractsInfo calldata,
        bytes calldata,
        bytes calldata,
        bytes calldata
    ) external whenNotPaused {
        PairsRequest memory r;
        (r.pairs, r.validity,, r.contracts, r.publicKey, r.signature, r.extraData) = abi.decode(
            msg.data[4:],
            (
                CtHandleContractPair[],
                RequestValidity,
                DelegationAccounts,
                ContractsInfo,
                bytes,
                bytes,
                bytes
            )
        );
        r.user = accounts.delegateAddress;
        if (listed(accounts.delegatorAddress, r.contracts.addresses))
            revert DelegatorAddressInContractAddresses(
                accounts.delegatorAddress, r.contracts.addresses
            );
        _admit(r, delegatedStruct(r, accounts.delegatorAddress));
    }

    function userDecryptionRequest(
        HandleEntry[] calldata,
        address,
        bytes calldata,
        address[] calldata,
        RequestValiditySeconds calldata,
        bytes calldata,
        bytes calldata
    ) external whenNotPaused {
        HandleEntry[] memory handles;
        UserDecryptionRequestPayload memory p;
        (
            handles,
            p.userAddress,
            p.publicKey,
            p.allowedContracts,
            p.requestValidity,
            p.signature,
            p.extraData
        ) = abi.decode(
            msg.data[4:],
            (HandleEntry[], address, bytes, address[], RequestValiditySeconds, bytes, bytes)
        );
        if (handles.length == 0) revert EmptyHandles();
        checkContracts(p.allowedContracts);
        checkValidity(p.requestValidity);
        bytes32[] memory plain = handlesOfEntries(handles);
        checkHostChains(_config, plain);
        (uint256 id, SnsCiphertextMaterial[] memory materials) = _newUserId(plain, p.extraData);
        emit UserDecryptionRequest(id, materials, handles, p);
        emit UserDecryptionRequest(id, handles, p);
    }

    function publicDecryptionResponse(
        uint256 decryptionId,
        bytes calldata decryptedResult,
        bytes calldata signature,
        bytes calldata extraData
    ) external {
        Request storage request = _takeAnswer(decryptionId, 1, extraData);
        bytes[] storage signatures =
            _signatures[decryptionId][keccak256(abi.encode(decryptedResult, extraData))];
        signatures.push(signature);
        emit PublicDecryptionResponseCall(
            decryptionId, decryptedResult, signature, msg.sender, extraData
        );
        uint256 threshold = _config.getContext(request.contextId).publicDecryptionThreshold;
        if (!request.done && signatures.length >= threshold) {
            request.done = true;
            emit PublicDecryptionResponse(decryptionId, decryptedResult, signatures, extraData);
        }
    }

    // Each share is handed on at once; its index is the order in which it came.
    function userDecryptionResponse(
        uint256 decryptionId,
        bytes calldata userDecryptedShare,
        bytes calldata signature,
        bytes calldata extraData
    ) external {
        Request storage request = _takeAnswer(decryptionId, 2, extraData);
        emit UserDecryptionResponse(
            decryptionId, request.shares++, userDecryptedShare, signature, extraData
        );
        uint256 threshold = _config.getContext(request.contextId).userDecryptionThreshold;
        if (!request.done && request.shares >= threshold) {
            request.done = true;
            emit UserDecryptionResponseThresholdReached(decryptionId);
        }
    }

    function isPublicDecryptionReady(bytes32[] calldata ctHandles, bytes calldata)
        external
        view
        returns (bool)
    {
        for (uint256 i = 0; i < ctHandles.length; ++i)
            if (!_commits.isCiphertextMaterialAdded(ctHandles[i])) return false;
        return ctHandles.length > 0;
    }

    function isUserDecryptionReady(CtHandleContractPair[] calldata pairs, bytes calldata)
        external
        view
        returns (bool)
    {
        return _pairsReady(pairs);
    }

    function isUserDecryptionReady(address, CtHandleContractPair[] calldata pairs, bytes calldata)
        external
        view
        returns (bool)
    {
        return _pairsReady(pairs);
    }

    function isUserDecryptionReady(HandleEntry[] calldata handles, bytes calldata)
        external
        view
        returns (bool)
    {
        for (uint256 i = 0; i < handles.length; ++i)
            if (!_commits.isCiphertextMaterialAdded(handles[i].handle)) return false;
        return handles.length > 0;
    }

    function isDecryptionDone(uint256 decryptionId) external view returns (bool) {
        return _requests[decryptionId].done;
    }

    function _pairsReady(CtHandleContractPair[] calldata pairs) private view returns (bool) {
        for (uint256 i = 0; i < pairs.length; ++i)
            if (!_commits.isCiphertextMaterialAdded(pairs[i].ctHandle)) return false;
        return pairs.length > 0;
    }

    function _admit(PairsRequest memory r, bytes32 structHash) private {
        if (r.pairs.length == 0) revert EmptyCtHandleContractPairs();
        if (r.contracts.addresses.length == 0) revert EmptyContractAddresses();
        checkContracts(r.contracts.addresses);
        _config.requireHostChain(r.contracts.chainId);
        checkValidity(r.validity);
        bytes32[] memory handles = handlesOfPairs(r.pairs, r.contracts);
        checkSignature(structHash, r.contracts.chainId, r.user, r.signature);
        (uint256 id, SnsCiphertextMaterial[] memory materials) = _newUserId(handles, r.extraData);
        emit UserDecryptionRequest(id, materials, r.user, r.publicKey, r.extraData);
        emit UserDecryptionRequest(id, handles, r.user, r.publicKey, r.extraData);
    }

    function _newUserId(bytes32[] memory handles, bytes memory extraData)
        private
        returns (uint256 id, SnsCiphertextMaterial[] memory materials)
    {
        id = ++userCounter;
        _requests[id].contextId = _config.contextOf(extraData);
        materials = _commits.getSnsCiphertextMaterials(handles);
        _payment.collectUserDecryptionFee(msg.sender);
    }

    function _takeAnswer(uint256 id, uint256 kind, bytes calldata extraData)
        private
        whenNotPaused
        returns (Request storage request)
    {
        if (!_config.isKmsNode(msg.sender)) revert NotKmsTxSender(msg.sender);
        request = _requests[id];
        if (request.contextId == 0 || id >> 248 != kind) revert DecryptionNotRequested(id);
        uint256 answered = _config.contextOf(extraData);
        if (answered != request.contextId)
            revert DecryptionContextMismatch(id, request.contextId, answered);
        if (hasResponded[id][msg.sender]) revert AlreadyResponded(id, msg.sender);
        hasResponded[id][msg.sender] = true;
    }
}
