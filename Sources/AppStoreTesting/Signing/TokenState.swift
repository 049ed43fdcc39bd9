import AppStorePurchases
import Foundation
import RecordStore

/// What the tokens of one device are made with at one moment.
struct TokenState: Sendable {
  let settings: LedgerSettings
  let now: Date
  let chain: SigningChain
  /// The leaves that verifiers shall refuse.
  let deniedCertificates: Set<Data>
  let device: LedgerDevice
  let defect: TokenDefect?
}

extension StoreSnapshot {
  func tokenState(
    _ settings: LedgerSettings, _ now: Date, device: LedgerDevice, defect: TokenDefect?
  ) throws -> TokenState {
    let generations = try list(LedgerSigningChain.self)
    guard let current = generations.first(where: { $0.generation == settings.signingGeneration }) else {
      throw AppStoreTestingError(
        .damagedLedger, "the App Store's ledger has no signing certificates: use a new directory for the App Store")
    }
    return TokenState(
      settings: settings, now: now, chain: current.chain,
      deniedCertificates: Set(generations.filter(\.isRevoked).map(\.leafDigest)), device: device, defect: defect)
  }
}
