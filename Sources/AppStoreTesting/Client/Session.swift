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

  /// The state with which tokens are made now, without a defect.
  func tokenState() async throws -> TokenState {
    let (device, desk) = (device, desk)
    return try await ledger.readNow { snapshot, settings, now in
      TokenState(
        settings: settings, now: now, material: try desk.material(snapshot, settings), device: device, defect: nil)
    }
  }

  /// A transaction as it is now and as this device gets it; nil when a reset has taken it away.
  ///
  /// The token is signed with the time at which the state held, so a token of an older state never looks newer than
  /// one of what another process made of it meanwhile.
  func result(for id: RecordID) async throws -> VerificationResult<Transaction>? {
    guard let (transaction, state) = try await standing(id) else { return nil }
    if transaction.revocationDate != nil { CrashPoint.refundNotDelivered.reach() }
    return try await desk.result(for: transaction, state)
  }

  private func standing(_ id: RecordID) async throws -> (LedgerTransaction, TokenState)? {
    let (account, device, desk) = (account, device, desk)
    let found = try await ledger.readStanding {
      try $0.find(LedgerTransaction.self, id)
    } _: { snapshot, settings, now in
      let faults = try snapshot.faults(on: LedgerFault.token, account: account, device: device.name)
      let material = try desk.material(snapshot, settings)
      let state = TokenState(settings: settings, now: now, material: material, device: device, defect: nil)
      return (state, !faults.isEmpty)
    }
    guard let transaction = found.subject else { return nil }
    guard found.value.1 else { return (transaction, found.value.0) }
    return try await ledger.commit { snapshot, edit in
      guard let transaction = try snapshot.find(LedgerTransaction.self, id) else { return nil }
      let defect = try edit.takeDefect(account: account, device: device.name, snapshot)
      let material = try desk.material(snapshot, edit.settings)
      return (
        transaction,
        TokenState(settings: edit.settings, now: edit.now, material: material, device: device, defect: defect)
      )
    }
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
