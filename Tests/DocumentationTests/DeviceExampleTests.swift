import Foundation
import RecordStore
import RecordSync
import Tandem
import Testing

/// The code in the comments of devices, their reports and transports.
struct DeviceExampleTests {
  private let place = "group.org.example.books/Books.store"

  /// A phone, which has an expense, a laptop without stores, and a folder for what lies elsewhere.
  private func withDevices(_ body: (DeviceDirectory, DeviceDirectory, URL) async throws -> Void) async throws {
    try await withFolder { root in
      for name in ["phone/group.org.example.books", "laptop/group.org.example.books", "elsewhere"] {
        try FileManager.default.createDirectory(at: root.appending(path: name), withIntermediateDirectories: true)
      }
      let container = try makeContainer(for: [Expense.self], at: root.appending(path: "phone/\(place)"))
      let context = ModelContext(container)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      try await body(
        try DeviceDirectory(root.appending(path: "phone")), try DeviceDirectory(root.appending(path: "laptop")),
        root.appending(path: "elsewhere"))
    }
  }

  @Test func `a plan comes before the work, and a report after it`() async throws {
    try await withDevices { phone, laptop, _ in
      let plan: DevicePlan = try await DeviceSync().plan(phone, laptop)
      for store: DevicePlan.Store in plan.stores {
        for (path, device) in store.devices {
          print(store.place, path, device.isCreated ? "new" : "\(device.transactionsMerged) to merge")
        }
      }
      #expect(plan.stores.map(\.devices.count) == [2])
      #expect(plan.stores[0].devices.values.filter { (device: DevicePlan.Store.Device) in device.isCreated }.count == 1)

      let report = try await DeviceSync().synchronize(phone, laptop)
      #expect(report.isComplete && plan.stores.count == report.stores.count)
      try await synchronizeAgain(phone, laptop)
    }
  }

  private func synchronizeAgain(_ phone: DeviceDirectory, _ laptop: DeviceDirectory) async throws {
    var options = DeviceSync.Options()
    if let caches = PlacePattern("*/Cache*") { options.except.insert(caches) }
    #expect(options.except.count == 1)

    let report: DeviceReport = try await DeviceSync(options: options).synchronize(phone, laptop)
    for store: DeviceReport.Store in report.stores where !store.isComplete {
      print(store.place, store.failure ?? store.refused.map(\.reason).joined(separator: "; "))
    }
    #expect(report.isUnchanged && report.isComplete)
  }

  @Test func `a folder is asked for files as a server would be`() async throws {
    try await withDevices { phone, laptop, shelf in
      let transport = FolderTransport(shelf)
      let report = try await DeviceSync().synchronize(phone, transport: transport)
      let paths = try await transport.list()?.map(\.path) ?? []
      #expect(report.isComplete && paths.contains { $0.hasSuffix(".tcs") })

      let url = try store(of: laptop)
      var options = StoreRebuild.Options()
      options.acceptsLoss = true  // goes on although the folder lacks something
      let rebuild = StoreRebuild(of: url, from: shelf, options: options)
      let outcome: StoreRebuild.Outcome = try await rebuild.run()
      print(outcome.transactionsMerged, outcome.lacking, outcome.replaced ?? "nothing was there")
      #expect(outcome.transactionsMerged == 1)
    }
  }

  private func store(of device: DeviceDirectory) throws -> URL {
    device.store(at: try #require(DeviceDirectory.Place("group.org.example.books/Books")))
  }

  @Test func `rclone is given its configuration, and says why it cannot go on`() async throws {
    try await withDevices { device, _, _ in
      let error = await #expect(throws: SyncError.self) { try await synchronizeByRclone(device) }
      // Whatever rclone says of a configuration that is not there, or that it is not installed.
      #expect(error?.code == .transportFailed)
    }
  }

  private func synchronizeByRclone(_ device: DeviceDirectory) async throws -> DeviceReport {
    var options = RcloneTransport.Options()
    options.environment = ["RCLONE_CONFIG": "/etc/tandem/rclone.conf"]
    let transport = try RcloneTransport("backup:tandem", options: options)
    let report = try await DeviceSync().synchronize(device, transport: transport)
    return report
  }
}
