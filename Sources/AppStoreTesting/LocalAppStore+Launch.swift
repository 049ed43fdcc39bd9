import AppStorePurchases
import Foundation
import RecordStore

extension LocalAppStore {
  /// Launches the app on a device, signed in with an account: the client to pass to `AppStore.connect(to:)` or
  /// `AppStore.withClient(_:operation:)`. A device that the App Store does not know yet is new; one that it knows is
  /// signed in with this account from now on.
  ///
  /// Call it once for each launch that a test plays: unfinished transactions are replayed once for each.
  ///
  /// - Parameters:
  ///   - account: The account that is signed in.
  ///   - device: The device's name.
  ///   - language: The person's, such as `uk`, for the names of products.
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`.
  public func launch(account: String, device: String, language: String = "en") async throws -> LocalStoreClient {
    let (number, device, firstEvent) = try await ledger.commit { snapshot, edit in
      _ = try snapshot.account(account)
      let device = try snapshot.signIn(device, account, &edit)
      return (edit.takeControlNumber(), device, edit.settings.nextEventNumber)
    }
    return LocalStoreClient(
      Session(
        id: number, ledger: ledger, assortments: assortments, desk: TokenDesk(), account: account, device: device,
        locale: Locale(identifier: language), firstEvent: firstEvent))
  }
}

extension StoreSnapshot {
  /// The device, from now on signed in with the account.
  fileprivate func signIn(_ name: String, _ account: String, _ edit: inout LedgerEdit) throws -> LedgerDevice {
    guard var known = try find(LedgerDevice.self, LedgerDevice.id(name: name)) else {
      let new = LedgerDevice(name: name, account: account, seed: edit.settings.seed)
      try edit.insert(new)
      return new
    }
    if known.account != account {
      known.account = account
      try edit.update(known)
    }
    return known
  }
}
