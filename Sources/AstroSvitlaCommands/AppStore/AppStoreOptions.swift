import AppStoreTesting
import ArgumentParser
import AstroSvitla
import Foundation

/// Which local App Store, and who is signed in.
struct AppStoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the local App Store; it is made if it is missing.",
      discussion: "Default: $ASTROSVITLA_APP_STORE, else appstore.", valueName: "folder"),
    transform: Report.path)
  var appStore: String?
  @Option(help: "The account that the device is signed in with; a new one if it is not known.")
  var account = "me"

  /// Opens it, with the app's products on sale and the account in it.
  func open() async throws -> LocalAppStore {
    let known = ProcessInfo.processInfo.environment["ASTROSVITLA_APP_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    let path = appStore ?? known ?? "appstore"
    let directory = URL(filePath: path, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let store = try await LocalAppStore.open(at: directory, bundleID: CreditProduct.bundleID)
    try await store.addAccount(account)
    // At each start, so that an App Store of an earlier build sells what this one does. Equal ones change nothing.
    try await store.setProducts(storeKitFile: CreditProduct.storeKitFile, priceTable: CreditProduct.priceTable)
    return store
  }

  /// The app's connection to it on a device.
  func service(
    _ device: DeviceOptions, _ output: OutputOptions, storefront: String? = nil, observer: StepObserver = .silent
  ) async throws -> PurchaseService {
    let appStore = try await open()
    if let storefront { try await appStore.setStorefront(storefront, for: account) }
    let client = try await appStore.launch(
      account: account, device: device.name, language: output.spoken.rawValue)
    return PurchaseService(try device.store(.readWrite), client: client, observer: observer)
  }
}
