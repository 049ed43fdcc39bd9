import ArgumentParser
import RecordSync

/// Whether large values of others come with a synchronisation.
enum LargeValues: String, ExpressibleByArgument, CaseIterable {
  case always
  case onDemand = "on-demand"

  var option: SyncOptions.LargeValues {
    switch self {
    case .always: .all
    case .onDemand: .onDemand
    }
  }
}
