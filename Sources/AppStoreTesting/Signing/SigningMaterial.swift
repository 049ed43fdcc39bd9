import Foundation
import RecordStore

/// The certificates that sign now, and those that verifiers shall refuse, as of one change of the certificates.
struct SigningMaterial: Sendable {
  /// The revision of the settings; equal revisions have equal material.
  let revision: Int
  let chain: SigningChain
  /// SHA-256 of the leaves that were revoked.
  let deniedCertificates: Set<Data>
}

extension StoreSnapshot {
  func signingMaterial(_ settings: LedgerSettings) throws -> SigningMaterial {
    SigningMaterial(
      revision: settings.certificateRevision, chain: try chain(settings),
      deniedCertificates: Set(try list(LedgerSigningChain.self).filter(\.isRevoked).map(\.leafDigest)))
  }

  func chain(_ settings: LedgerSettings) throws -> SigningChain {
    let id = LedgerSigningChain.id(generation: settings.signingGeneration)
    guard let current = try find(LedgerSigningChain.self, id) else {
      throw AppStoreTestingError(
        .damagedLedger, "the App Store's ledger has no signing certificates: use a new directory for the App Store")
    }
    return current.chain
  }
}
