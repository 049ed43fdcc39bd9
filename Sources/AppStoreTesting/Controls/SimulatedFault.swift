/// A fault that a call meets instead of its usual course.
///
/// ```swift
/// let call = StoreCall.purchase
/// let failure = SimulatedFailure.ineligibleForOffer
/// for fault: SimulatedFault in [.losesAnswer(.networkError), .fails(failure), .cancels] {
///   try await appStore.simulate(fault, on: call, device: "phone")  // one after the other, a purchase each
/// }
/// ```
public enum SimulatedFault: Hashable, Sendable {
  /// The call does nothing and throws.
  case fails(SimulatedFailure)
  /// The call does its work, durably, and throws: the answer was lost on the way. A purchase is paid, a finish is
  /// recorded. A call that changes nothing just throws.
  case losesAnswer(SimulatedFailure)
  /// A purchase ends with the result `.userCancelled`. Other calls throw `StoreKitError.userCancelled`.
  case cancels
  /// A purchase stops for a step outside the app (new terms, an expired card) and waits among
  /// ``LocalAppStore/waitingPurchases()``. It ends with the result `.pending`, or throws `StoreKitError.unknown`, as
  /// StoreKit does one or the other. Other calls throw `StoreKitError.unknown`.
  case interrupts(throwsUnknown: Bool)

  /// The text in the ledger.
  var name: String {
    switch self {
    case .fails(let failure): "fails \(failure.rawValue)"
    case .losesAnswer(let failure): "losesAnswer \(failure.rawValue)"
    case .cancels: "cancels"
    case .interrupts(let throwsUnknown): throwsUnknown ? "interrupts unknown" : "interrupts pending"
    }
  }

  init?(name: String) {
    let words = name.split(separator: " ").map(String.init)
    switch (words.first, words.count > 1 ? SimulatedFailure(rawValue: words[1]) : nil) {
    case ("fails", let failure?): self = .fails(failure)
    case ("losesAnswer", let failure?): self = .losesAnswer(failure)
    case ("cancels", nil): self = .cancels
    case ("interrupts", _): self = .interrupts(throwsUnknown: words.last == "unknown")
    default: return nil
    }
  }

  /// Whether the call does its work before it fails.
  var isDone: Bool {
    if case .losesAnswer = self { true } else { false }
  }

  /// The error of a call that changes nothing.
  var error: any Error {
    switch self {
    case .fails(let failure), .losesAnswer(let failure): failure.error
    case .cancels: SimulatedFailure.userCancelled.error
    case .interrupts: SimulatedFailure.unknown.error
    }
  }
}

/// A defect of a token.
///
/// ```swift
/// for defect in TokenDefect.allCases { try await appStore.simulate(defect) }
/// ```
public enum TokenDefect: String, CaseIterable, Hashable, Sendable {
  /// One bit of the signature is flipped.
  case invalidSignature
  /// The signature is one byte short.
  case shortSignature
  /// The quantity was raised after signing.
  case alteredPayload
  /// The header claims another algorithm.
  case otherAlgorithm
  /// Signed by certificates of another root.
  case foreignCertificates
  /// Signed with a leaf certificate that had expired.
  case expiredCertificate
  /// The root is missing in the list of certificates.
  case missingCertificate
  /// Bound to another device.
  case wrongDevice
  /// Made for another app.
  case wrongBundleID
  /// Made in the sandbox.
  case wrongEnvironment
  /// Signed well, without the type of the product.
  case missingProperty
}
