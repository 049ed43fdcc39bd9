import AppStorePurchases
import Foundation
import Synchronization

/// Makes the tokens of one session and has them verified, as strictly as an app would: what an app is handed is what
/// the verifier says of a token that was really signed.
final class TokenDesk: Sendable {
  /// Made anew when the certificates change.
  private struct Tools {
    let certificateRevision: Int
    let signer: TokenSigner
    let verifier: TransactionVerifier
  }

  private let tools = Mutex<Tools?>(nil)

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
      if let tools, tools.certificateRevision == state.settings.certificateRevision { return tools }
      let made = Tools(
        certificateRevision: state.settings.certificateRevision, signer: try TokenSigner(state.chain),
        verifier: TransactionVerifier(try state.verifierConfiguration()))
      tools = made
      return made
    }
  }
}

extension TokenState {
  /// What an app on this device verifies with.
  func verifierConfiguration() throws -> VerifierConfiguration {
    try VerifierConfiguration(
      anchors: [Data(chain.root.certificate)], bundleID: settings.bundleID, environments: [.xcode],
      deniedCertificates: deniedCertificates, deviceVerificationID: device.verificationID)
  }
}
