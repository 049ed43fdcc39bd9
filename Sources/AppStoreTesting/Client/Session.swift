import AppStorePurchases
import Foundation
import RecordStore

/// One launch of the app on one device: what its calls and listeners share. Values and services, no state of its own.
struct Session: Sendable {
  /// Counts the launches of all apps.
  let id: UInt64
  let ledger: Ledger
  let assortments: AssortmentCache
  let desk: TokenDesk
  let account: String
  let device: LedgerDevice
  /// The person's language.
  let locale: Locale
  /// The first event that happens after the launch.
  let firstEvent: UInt64

  /// Charges what has fallen due, if anything has.
  func settle() async throws {
    try await ledger.settle(account, assortments)
  }

  /// The fault that hits a call, used up.
  func takeFault(on call: StoreCall) async throws -> SimulatedFault? {
    let (account, device) = (account, device.name)
    let isAwaited = try await ledger.read { snapshot in
      try !snapshot.faults(on: call.rawValue, account: account, device: device).isEmpty
    }
    guard isAwaited else { return nil }
    return try await ledger.commit { snapshot, edit in
      try edit.takeFault(on: call, account: account, device: device, snapshot)
    }
  }

  /// Throws the fault of a call that changes nothing.
  func failIfTold(_ call: StoreCall) async throws {
    if let fault = try await takeFault(on: call) { throw fault.error }
  }

  /// What the next token is made with.
  func tokenState(takingDefect: Bool = true) async throws -> TokenState {
    let (account, device, desk) = (account, device, desk)
    let (state, isDefective) = try await ledger.readNow { snapshot, settings, now in
      let faults = try snapshot.faults(on: LedgerFault.token, account: account, device: device.name)
      let material = try desk.material(snapshot, settings)
      let state = TokenState(settings: settings, now: now, material: material, device: device, defect: nil)
      return (state, takingDefect && !faults.isEmpty)
    }
    guard isDefective else { return state }
    return try await ledger.commit { snapshot, edit in
      let defect = try edit.takeDefect(account: account, device: device.name, snapshot)
      let material = try desk.material(snapshot, edit.settings)
      return TokenState(settings: edit.settings, now: edit.now, material: material, device: device, defect: defect)
    }
  }

  /// A transaction as this device gets it.
  func result(for transaction: LedgerTransaction) async throws -> VerificationResult<Transaction> {
    if transaction.revocationDate != nil { CrashPoint.refundNotDelivered.reach() }
    return try await desk.result(for: transaction, tokenState())
  }

  /// Runs a call and gives its errors the form that apps expect.
  func answering<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
    do {
      return try await call()
    } catch {
      throw Self.storeKitError(error)
    }
  }

  static func storeKitError(_ error: any Error) -> any Error {
    switch error {
    case is StoreKitError, is Product.PurchaseError, is Transaction.RefundRequestError, is CancellationError: error
    default: StoreKitError.systemError(error)
    }
  }
}
