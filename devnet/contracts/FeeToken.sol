// SPDX-License-Identifier: UNLICENSED
// The token that requests are paid in, and the contract that pulls it from whoever sends one.
pragma solidity 0.8.24;

import { Owned } from "./GatewayTypes.sol";

contract FeeToken is Owned {
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public constant name = "Devnet fee token";
    string public constant symbol = "FEE";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 value) external onlyOwner {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    // Takes what an account has, so that tests see the relayer run dry.
    function burn(address from, uint256 value) external onlyOwner {
        _move(from, address(0), value);
        totalSupply -= value;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < value) revert ERC20InsufficientAllowance(msg.sender, allowed, value);
            allowance[from][msg.sender] = allowed - value;
        }
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract ProtocolPayment is Owned {
    FeeToken public immutable token;
    uint256 public inputVerificationPrice = 10 ether;
    uint256 public publicDecryptionPrice = 1 ether;
    uint256 public userDecryptionPrice = 1 ether;

    constructor(FeeToken token_) {
        token = token_;
    }

    function setPrices(uint256 input, uint256 publicDecrypt, uint256 userDecrypt)
        external
        onlyOwner
    {
        inputVerificationPrice = input;
        publicDecryptionPrice = publicDecrypt;
        userDecryptionPrice = userDecrypt;
    }

    function collectInputVerificationFee(address payer) external {
        token.transferFrom(payer, address(this), inputVerificationPrice);
    }

    function collectPublicDecryptionFee(address payer) external {
        token.transferFrom(payer, address(this), publicDecryptionPrice);
    }

    function collectUserDecryptionFee(address payer) external {
        token.transferFrom(payer, address(this), userDecryptionPrice);
    }
}
