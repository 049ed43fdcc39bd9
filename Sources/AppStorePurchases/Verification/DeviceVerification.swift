import Crypto
public import Foundation

/// How a store binds a token to a device, as StoreKit documents it.
///
/// ```swift
/// let expected = DeviceVerification.value(nonce: transaction.deviceVerificationNonce, deviceID: deviceID)
/// let isOfThisDevice = transaction.deviceVerification == expected
/// ```
public enum DeviceVerification {
  /// SHA-384 over the nonce and the device's id, both in lower case with hyphens, without anything between them: 48
  /// bytes. It stands in the token as standard base64.
  public static func value(nonce: UUID, deviceID: UUID) -> Data {
    Data(SHA384.hash(data: Data((nonce.uuidString + deviceID.uuidString).lowercased().utf8)))
  }
}
