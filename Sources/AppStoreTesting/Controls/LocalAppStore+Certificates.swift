public import AppStorePurchases
public import Foundation
import RecordStore

extension LocalAppStore {
  /// The root that verifiers trust, as DER. It stays until ``rotateCertificates(includingRoot:)`` changes it too.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func rootCertificate() async throws -> Data {
    try await ledger.readNow { snapshot, settings, _ in Data(try snapshot.chain(settings).root.certificate) }
  }

  /// The root as PEM, for `openssl`.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func rootCertificatePEM() async throws -> String {
    try await ledger.readNow { snapshot, settings, _ in try snapshot.chain(settings).rootPEM }
  }

  /// The certificates that verifiers shall refuse, as SHA-256 of their DER.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func revokedCertificates() async throws -> Set<Data> {
    try await ledger.read { snapshot in
      Set(try snapshot.list(LedgerSigningChain.self).filter(\.isRevoked).map(\.leafDigest))
    }
  }

  /// The configuration with which an app on a device verifies tokens now. The device must have launched once.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a device on which nothing was launched yet.
  public func verifierConfiguration(device: String) async throws -> VerifierConfiguration {
    try await ledger.readNow { snapshot, settings, now in
      try snapshot.soundTokens(settings, now, device: device).verifierConfiguration()
    }
  }

  /// Signs with a new intermediate and a new leaf from now on, and with a new root if that is to change too. Tokens
  /// made before stay as they are; clients made by ``launch(account:device:language:)`` know the new root at once.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func rotateCertificates(includingRoot: Bool = false) async throws {
    try await replaceChain(includingRoot: includingRoot) { _ in CertificateAuthority.notAfter }
  }

  /// Signs with a leaf that expired a minute ago, as a server that forgot to renew: no token is verified until
  /// ``rotateCertificates(includingRoot:)``.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func expireCertificates() async throws {
    try await replaceChain(includingRoot: false) { CertificateAuthority.lapsedEnd(at: $0) }
  }

  /// Revokes the leaf that signs now, which goes on signing until ``rotateCertificates(includingRoot:)``: no token of
  /// it is verified any more, old ones included.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func revokeCertificates() async throws {
    try await ledger.commit { snapshot, edit in
      guard
        var current = try snapshot.find(
          LedgerSigningChain.self, LedgerSigningChain.id(generation: edit.settings.signingGeneration))
      else { return }
      current.isRevoked = true
      try edit.update(current)
      edit.settings.certificateRevision += 1
    }
  }

  private func replaceChain(
    includingRoot: Bool, leafNotAfter: @escaping @Sendable (Date) -> Date
  ) async throws {
    try await ledger.commit { snapshot, edit in
      let next = try snapshot.chain(edit.settings).rotated(
        seed: edit.settings.seed, includingRoot: includingRoot, leafNotAfter: leafNotAfter(edit.now))
      try edit.insert(LedgerSigningChain(next))
      edit.settings.signingGeneration = next.generation
      edit.settings.certificateRevision += 1
    }
  }
}

extension StoreSnapshot {
  /// The state with which tokens for a device are made, no defect taken.
  func soundTokens(_ settings: LedgerSettings, _ now: Date, device: String) throws -> TokenState {
    TokenState(
      settings: settings, now: now, material: try signingMaterial(settings), device: try self.device(device),
      defect: nil)
  }

  func device(_ name: String) throws -> LedgerDevice {
    guard let device = try find(LedgerDevice.self, LedgerDevice.id(name: name)) else {
      throw AppStoreTestingError(
        .invalidRequest, "no app was launched on a device of this name: launch one there first")
    }
    return device
  }
}
