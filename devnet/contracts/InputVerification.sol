// SPDX-License-Identifier: UNLICENSED
// Input proofs: a request, the coprocessors' answers, and one verdict when enough of them agree.
pragma solidity 0.8.24;

import { ProtocolPayment } from "./FeeToken.sol";
import { GatewayConfig } from "./GatewayConfig.sol";
import { Pausable } from "./GatewayTypes.sol";

contract InputVerification is Pausable {
    event VerifyProofRequest(
        uint256 indexed zkProofId,
        uint256 indexed contractChainId,
        address contractAddress,
        address userAddress,
        bytes ciphertextWithZKProof,
        bytes extraData
    );
    event VerifyProofResponseCall(
        uint256 indexed zkProofId,
        bytes32[] ctHandles,
        bytes signature,
        address coprocessorTxSender,
        bytes extraData
    );
    event VerifyProofResponse(uint256 indexed zkProofId, bytes32[] ctHandles, bytes[] signatures);
    event RejectProofResponseCall(uint256 indexed zkProofId, bytes extraData);
    event RejectProofResponse(uint256 indexed zkProofId);

    GatewayConfig private immutable _config;
    ProtocolPayment private immutable _payment;
    uint256 public proofCount;
    mapping(uint256 zkProofId => mapping(address txSender => bool)) public hasResponded;
    mapping(uint256 zkProofId => mapping(bytes32 digest => bytes[])) private _signatures;
    mapping(uint256 zkProofId => uint256) private _rejections;
    mapping(uint256 zkProofId => bool) public isProofVerified;
    mapping(uint256 zkProofId => bool) public isProofRejected;

    constructor(GatewayConfig config, ProtocolPayment payment) {
        _config = config;
        _payment = payment;
    }

    function verifyProofRequest(
        uint256 contractChainId,
        address contractAddress,
        address userAddress,
        bytes calldata ciphertextWithZKProof,
        bytes calldata extraData
    ) external whenNotPaused {
        _config.requireHostChain(contractChainId);
        _payment.collectInputVerificationFee(msg.sender);
        emit VerifyProofRequest(
            ++proofCount,
            contractChainId,
            contractAddress,
            userAddress,
            ciphertextWithZKProof,
            extraData
        );
    }

    function verifyProofResponse(
        uint256 zkProofId,
        bytes32[] calldata ctHandles,
        bytes calldata signature,
        bytes calldata extraData
    ) external {
        _takeAnswer(zkProofId);
        bytes32 digest = keccak256(abi.encode(ctHandles, extraData));
        bytes[] storage signatures = _signatures[zkProofId][digest];
        signatures.push(signature);
        emit VerifyProofResponseCall(zkProofId, ctHandles, signature, msg.sender, extraData);
        if (!isProofVerified[zkProofId] && signatures.length >= _config.coprocessorThreshold()) {
            isProofVerified[zkProofId] = true;
            emit VerifyProofResponse(zkProofId, ctHandles, signatures);
        }
    }

    function rejectProofResponse(uint256 zkProofId, bytes calldata extraData) external {
        _takeAnswer(zkProofId);
        emit RejectProofResponseCall(zkProofId, extraData);
        uint256 rejections = ++_rejections[zkProofId];
        if (!isProofRejected[zkProofId] && rejections >= _config.coprocessorThreshold()) {
            isProofRejected[zkProofId] = true;
            emit RejectProofResponse(zkProofId);
        }
    }

    function _takeAnswer(uint256 zkProofId) private whenNotPaused {
        if (!_config.isCoprocessor(msg.sender)) revert NotCoprocessorTxSender(msg.sender);
        if (zkProofId == 0 || zkProofId > proofCount) revert VerifyProofNotRequested(zkProofId);
        if (hasResponded[zkProofId][msg.sender]) revert AlreadyResponded(zkProofId, msg.sender);
        hasResponded[zkProofId][msg.sender] = true;
    }
}
