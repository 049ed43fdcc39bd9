// Reports and errors of imports and exports are SQLiteBridge's.
@_exported public import SQLiteBridge
