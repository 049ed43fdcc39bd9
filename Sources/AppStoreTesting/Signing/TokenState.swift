import AppStorePurchases
import Foundation

/// The state with which the tokens of one device are made at one moment.
struct TokenState: Sendable {
  let settings: LedgerSettings
  let now: Date
  let material: SigningMaterial
  let device: LedgerDevice
  let defect: TokenDefect?

  /// The configuration with which an app on this device verifies.
  func verifierConfiguration() throws -> VerifierConfiguration {
    try VerifierConfiguration(
      anchors: [Data(material.chain.root.certificate)], bundleID: settings.bundleID, environments: [.xcode],
      deniedCertificates: material.deniedCertificates, deviceVerificationID: device.verificationID)
  }

  /// Differs from device to device, from token to token and from moment to moment.
  func nonce(for subject: String) -> UUID {
    SeededRandomness.uuid(seed: settings.seed, label: "nonce \(subject) \(device.name) \(now.milliseconds)")
  }
}
