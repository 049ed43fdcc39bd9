import Foundation
import LivePage
import RecordStore
import RecordSync
import StoreInspection

/// The page's questions about devices: what each has, what waits for what, and a synchronisation.
struct DeviceAnswers {
  let stores: ServedStores
  let access: StoreConfiguration
  let sync: PageSync

  var routes: [PageRoute] {
    [
      PageRoute("devices") { _ in ["devices": .array(stores.devices.map { status(of: $0) }), "sync": sync.json] },
      PageRoute("sync", .writing) { try start(PageQuestion(json: $0)) },
    ]
  }

  private func status(of device: DeviceDirectory) -> JSON {
    let name: JSON = ["path": .string(device.url.path), "name": .string(device.url.lastPathComponent)]
    do {
      return name.adding(
        "stores", .array(try device.status(configuration: access).map { try json($0.place, $0.status) }))
    } catch {
      return name.adding("error", .string(TandemTool.sentence(of: error) ?? String(describing: error)))
    }
  }

  private func json(_ place: DeviceDirectory.Place, _ status: SyncStatus) throws -> JSON {
    let text = StatusText(place: place, status: status, terminal: .plain)
    return [
      "place": .string(place.description), "settled": .bool(status.isSettled),
      "notes": .array(text.notes.map { .string($0) }),
      "replicas": .array(
        try status.replicas.map { try JSON(encoding: $0).adding("remark", .string(text.remark(on: $0))) }),
    ]
  }

  private func start(_ question: PageQuestion) throws -> JSON {
    let first = try stores.device(question.text("first"))
    let second = try question.textIfGiven("second").map { try stores.device($0) }
    try sync.start(first, second)
    return ["started": .bool(true)]
  }
}
