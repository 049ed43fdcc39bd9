import AppStorePurchases
import Foundation
import RecordStore
import Synchronization

/// Makes the tokens of one session and has them verified, as strictly as an app would: what an app is handed is what
/// the verifier says of a token that was really signed.
final class TokenDesk: Sendable {
  /// Made anew when the certificates change.
  private struct Tools {
    let revision: Int
    let signer: TokenSigner
    let verifier: TransactionVerifier
  }

  private let tools = Mutex<Tools?>(nil)
  private let material = Mutex<SigningMaterial?>(nil)

  /// The certificates as they are now. Reads them again after they have changed.
  func material(_ snapshot: borrowing StoreSnapshot, _ settings: LedgerSettings) throws -> SigningMaterial {
    if let known = material.withLock({ $0 }), known.revision == settings.certificateRevision { return known }
    let found = try snapshot.signingMaterial(settings)
    material.withLock { $0 = found }
    return found
  }

  func result(
    for transaction: LedgerTransaction, _ state: TokenState
  ) async throws -> VerificationResult<Transaction> {
    let token = try token(payload: TransactionPayload(transaction, state).json(), state)
    return try await tools(state).verifier.result(for: token, now: state.now)
  }

  func renewalResult(
    for payload: RenewalPayload, _ state: TokenState
  ) async throws -> VerificationResult<Product.SubscriptionInfo.RenewalInfo> {
    let token = try token(payload: payload.json(), state)
    return try await tools(state).verifier.renewalResult(for: token, now: state.now)
  }

  /// The signed text, with its defect if the tester wants one.
  func token(payload: Data, _ state: TokenState) throws -> String {
    guard let defect = state.defect else { return try tools(state).signer.token(payload: payload) }
    return try DefectiveToken(defect, state).text(payload: payload)
  }

  private func tools(_ state: TokenState) throws -> Tools {
    try tools.withLock { tools in
      if let tools, tools.revision == state.material.revision { return tools }
      let made = Tools(
        revision: state.material.revision, signer: try TokenSigner(state.material.chain),
        verifier: TransactionVerifier(try state.verifierConfiguration()))
      tools = made
      return made
    }
  }
}
