import AppStorePurchases
import AppStoreTesting
import AstroSvitla
import Foundation
import RecordStore
import RecordSync
import Tandem
import TestSupport
import Testing

/// A folder with a local App Store and device directories, which goes at the end of a test, after every device's store
/// was checked.
final class Shop: Sendable {
  static let account = "me"

  let folder: URL
  let appStore: LocalAppStore

  init(seed: UInt64? = 7) async throws {
    folder = try makeTemporaryFolder()
    appStore = try await Self.openAppStore(in: folder, seed: seed)
    try await appStore.addAccount(Self.account)
    try await appStore.setProducts(storeKitFile: CreditProduct.storeKitFile, priceTable: CreditProduct.priceTable)
  }

  private static func openAppStore(in folder: URL, seed: UInt64?) async throws -> LocalAppStore {
    var options = LocalAppStore.Options()
    options.durability = .unsafeNoFlush
    options.seed = seed
    let directory = folder.appending(path: "appstore")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return try await LocalAppStore.open(at: directory, bundleID: CreditProduct.bundleID, options: options)
  }

  /// Runs a test in a shop of its own; afterwards each device's store is whole.
  static func open(
    isolation: isolated (any Actor)? = #isolation, _ body: (Shop) async throws -> Void
  ) async throws {
    let shop = try await Shop()
    try await body(shop)
    try shop.checkStores()
    try FileManager.default.removeItem(at: shop.folder)
  }

  func url(of device: String) -> URL { folder.appending(path: device, directoryHint: .isDirectory) }

  /// A device, new or as it was left.
  func device(
    _ name: String, account: String = Shop.account, observer: StepObserver = .silent,
    now: @escaping @Sendable () -> Date = { .now }
  ) async throws -> Device {
    let url = url(of: name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return try await Device(self, name, account: account, observer: observer, now: now)
  }

  /// The same folder a second time, as a backup that is restored on another machine.
  func copy(_ name: String, as twin: String) throws {
    try FileManager.default.copyItem(at: url(of: name), to: url(of: twin))
  }

  func synchronize(_ left: String, _ right: String) async throws {
    let report = try await DeviceSync().synchronize(DeviceDirectory(url(of: left)), DeviceDirectory(url(of: right)))
    #expect(report.stores.allSatisfy { $0.failure == nil }, "\(report.stores.compactMap(\.failure))")
  }

  private func checkStores() throws {
    for device in try FileManager.default.contentsOfDirectory(atPath: folder.path) where device != "appstore" {
      let place = DeviceDirectory.Place(
        group: AstroSvitlaStore.groupIdentifier, name: AstroSvitlaStore.storeName)
      let directory = try DeviceDirectory(url(of: device))
      guard try directory.hasStore(at: place) else { continue }
      let store = try RecordStore.open(StoreConfiguration(url: directory.store(at: place)))
      try expectSound(store)
    }
  }
}

/// One launch of the app on one device.
struct Device: Sendable {
  let name: String
  let store: AstroSvitlaStore
  let client: LocalStoreClient
  let purchases: PurchaseService
  let credits: CreditManager
  let charts: ChartService
  let history: PurchaseHistory
  let now: @Sendable () -> Date

  init(
    _ shop: Shop, _ name: String, account: String, observer: StepObserver, now: @escaping @Sendable () -> Date
  ) async throws {
    self.name = name
    store = try AstroSvitlaStore(device: shop.url(of: name))
    client = try await shop.appStore.launch(account: account, device: name)
    purchases = PurchaseService(store, client: client, observer: observer, now: now)
    credits = CreditManager(store, observer: observer, now: now)
    charts = ChartService(store)
    history = PurchaseHistory(store)
    self.now = now
  }

  func reports(_ writer: any ReportWriter = NatalReportWriter()) -> ReportService {
    ReportService(store, credits: credits, writer: writer, now: now)
  }

  /// The chart that tests make reports of.
  func chart() async throws -> UUID {
    if let known = try await charts.charts().first { return known.id }
    return try await charts.add(Fixtures.birth(), chart: Fixtures.chart(), profileName: "Olena").id
  }

  /// A report about an area that the chart may have one of.
  @discardableResult
  func report(_ request: Int, area: ReportArea = .career, writer: any ReportWriter = NatalReportWriter()) async throws
    -> ReportDetails
  {
    let order = try ReportOrder(chartID: try await chart(), area: area, language: .english, isAgain: true)
    return try await reports(writer).generate(order, requestID: Fixtures.id(request))
  }

  func balance() async throws -> CreditBalance { try await credits.balance() }

  func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(store.container).fetchCount(FetchDescriptor<Model>())
  }
}
