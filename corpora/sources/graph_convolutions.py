"""The graph convolutions of torch_geometric, and its complete graph networks.

Each script puts a convolution into a small network that classifies nodes. The graphs have the size
of Cora, the citation graph on which most of these layers were published: 2708 nodes of 1433
features, 10556 edges, 7 classes. Layers for points, meshes, molecules or graphs with several kinds
of nodes get such inputs.

Arguments of a constructor keep their defaults. Those without a default have the value of the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import indent, wrap
from typing import Any

from corpora.script import WIDTH, Script

__all__ = ["scripts", "survey"]

CORPUS = "graph_convolutions"
VERSION = "2.8.1"
REPOSITORY = f"https://github.com/pyg-team/pytorch_geometric/blob/{VERSION}"
SAMPLES = ("gcn_conv", "sage_conv", "dense_gcn_conv")

X = "torch.rand(nodes, in_channels)"
EDGES = "torch.randint(0, nodes, (2, edges))"
GRAPH = {"x": X, "edge_index": EDGES}
WEIGHTED = {**GRAPH, "edge_weight": "torch.rand(edges)"}
ATTRIBUTED = {**GRAPH, "edge_attr": "torch.rand(edges, 16)"}
TYPED = {**GRAPH, "edge_type": "torch.randint(0, 4, (edges,))"}
POINTS = {"x": X, "pos": "torch.rand(nodes, 3)", "edge_index": EDGES}
SIGNED = {"x": X, "pos_edge_index": EDGES, "neg_edge_index": EDGES}
DENSE = {
    "x": "torch.rand(batch_size, nodes, in_channels)",
    "adj": "(torch.rand(batch_size, nodes, nodes) < edges / nodes**2).float()",
}
TWO_KINDS = {
    "paper": X,
    "author": X,
    "cites": EDGES,
    "writes": EDGES,
    "written_by": EDGES,
}
MOLECULES = {
    "x": "torch.rand(atoms * batch_size, 39)",
    "edge_index": "edge_index",
    "edge_attr": "torch.rand(2 * atoms * batch_size, 10)",
    "batch": "torch.arange(batch_size).repeat_interleave(atoms)",
}
BONDS = """\
# Each atom has the ones before and after it as neighbours, in a ring
one = torch.arange(atoms * batch_size).view(batch_size, atoms)
next_one = one.roll(-1, dims=1)
edge_index = torch.stack([torch.cat([one, next_one]), torch.cat([next_one, one])]).view(2, -1)
"""
DEGREES = """\
# How many nodes have which number of neighbours
degree = torch.bincount(torch.bincount(edge_index[1], minlength=nodes))
"""
METADATA = """\
metadata = (
    ["paper", "author"],
    [("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "written_by", "author")],
)
"""
CORA = {"nodes": 2708, "edges": 10556, "classes": 7}
MESH = {"edges": 2250, "classes": 8}
ATOMS = {"atoms": 18}


@dataclass(frozen=True)
class Network:
    """How a convolution or a complete model is created and called."""

    kind: str
    """The class in torch_geometric.nn."""
    layer: str
    """How one is made: from ``before`` and ``after`` channels, or from ``out_channels``."""
    inputs: Mapping[str, str] = field(default_factory=lambda: GRAPH)
    """What the network takes, and the expressions that make it."""
    arguments: str = ""
    """The arguments of a layer, if not the inputs in their order."""
    form: str = "layers"
    """``layers`` that change the number of channels; ``same``, layers that keep it, behind a
    linear one; ``once``, one such layer; ``model``, which needs no network around it."""
    width: str = "out_channels"
    """The number of output channels of a layer."""
    parameters: tuple[str, ...] = ("in_channels", "out_channels", "num_layers")
    defaults: Mapping[str, Any] = field(default_factory=lambda: {"num_layers": 2})
    imports: tuple[str, ...] = ()
    """Besides the class itself."""
    before: str = ""
    """Statements before the model."""
    network: str = ""
    """The class ``Network``, if none of the forms fits."""
    task: str = "node_classification"
    graph: str = "a graph of the size of Cora"
    sizes: Mapping[str, int] = field(default_factory=lambda: CORA)
    """The sizes of the graph; a script contains only those that it uses."""
    paper: tuple[str, str] | None = None
    """Title and URL of the paper, if the documentation of the class has none."""


MLP = ("from torch_geometric.nn import MLP",)
KEEP: dict[str, Any] = {"form": "same"}
STEPS = ("in_channels", "out_channels", "num_layers", "k")
K_ALPHA = ("in_channels", "out_channels", "k", "alpha")
POINT_CLOUD: dict[str, Any] = {"inputs": POINTS, "graph": "a cloud of 2708 points"}
NO_LAYERS: dict[str, Any] = {"parameters": ("in_channels", "out_channels"), "defaults": {}}

CONVOLUTIONS = {
    "simple_conv": Network("SimpleConv", "SimpleConv()", form="same"),
    "gcn_conv": Network("GCNConv", "GCNConv(before, after)"),
    "cheb_conv": Network("ChebConv", "ChebConv(before, after, K=k)", parameters=STEPS),
    "sage_conv": Network("SAGEConv", "SAGEConv(before, after)"),
    "graph_conv": Network("GraphConv", "GraphConv(before, after)", WEIGHTED),
    "gated_graph_conv": Network(
        "GatedGraphConv", "GatedGraphConv(out_channels, num_layers)", form="once", defaults={}
    ),
    "res_gated_graph_conv": Network("ResGatedGraphConv", "ResGatedGraphConv(before, after)"),
    "gat_conv": Network("GATConv", "GATConv(before, after)"),
    "gatv2_conv": Network("GATv2Conv", "GATv2Conv(before, after)"),
    "transformer_conv": Network("TransformerConv", "TransformerConv(before, after)"),
    "agnn_conv": Network("AGNNConv", "AGNNConv()", form="same"),
    "tag_conv": Network(
        "TAGConv",
        "TAGConv(before, after, K=k)",
        parameters=STEPS,
        defaults={"num_layers": 2, "k": 3},
    ),
    "gin_conv": Network("GINConv", "GINConv(MLP([before, after, after]))", imports=MLP),
    "gine_conv": Network(
        "GINEConv", "GINEConv(MLP([before, after, after]), edge_dim=16)", ATTRIBUTED, imports=MLP
    ),
    "arma_conv": Network("ARMAConv", "ARMAConv(before, after)"),
    "sg_conv": Network(
        "SGConv",
        "SGConv(before, after, K=k)",
        parameters=STEPS,
        defaults={"num_layers": 1, "k": 2},
    ),
    "ssg_conv": Network(
        "SSGConv",
        "SSGConv(out_channels, out_channels, alpha=alpha, K=k)",
        form="once",
        parameters=K_ALPHA,
        defaults={"k": 16, "alpha": 0.05},
    ),
    "appnp": Network(
        "APPNP",
        "APPNP(K=k, alpha=alpha)",
        form="once",
        parameters=K_ALPHA,
        defaults={"k": 10, "alpha": 0.1},
    ),
    "mf_conv": Network("MFConv", "MFConv(before, after)"),
    "rgcn_conv": Network("RGCNConv", "RGCNConv(before, after, num_relations=4)", TYPED),
    "fast_rgcn_conv": Network(
        "FastRGCNConv",
        "FastRGCNConv(before, after, num_relations=4)",
        TYPED,
        paper=(
            "Modeling Relational Data with Graph Convolutional Networks",
            "https://arxiv.org/abs/1703.06103",
        ),
    ),
    "rgat_conv": Network("RGATConv", "RGATConv(before, after, num_relations=4)", TYPED),
    "signed_conv": Network(
        "SignedConv",
        "",
        SIGNED,
        graph="a graph of the size of Cora with positive and negative edges",
        **NO_LAYERS,
        network='''\
class Network(torch.nn.Module):
    """Convolutions for what likes and what does not, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.first = SignedConv(in_channels, out_channels, first_aggr=True)
        self.second = SignedConv(out_channels, out_channels, first_aggr=False)
        self.head = torch.nn.Linear(2 * out_channels, classes)

    def forward(self, x, pos_edge_index, neg_edge_index):
        x = self.first(x, pos_edge_index, neg_edge_index).relu()
        x = self.second(x, pos_edge_index, neg_edge_index).relu()
        return self.head(x)
''',
    ),
    "dna_conv": Network(
        "DNAConv",
        "",
        network='''\
class Network(torch.nn.Module):
    """Convolutions that look back at all layers before them, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for _ in range(num_layers):
            self.convs.append(DNAConv(out_channels))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x).relu()
        history = x.unsqueeze(1)
        for conv in self.convs:
            x = conv(history, edge_index).relu()
            history = torch.cat([history, x.unsqueeze(1)], dim=1)
        return self.head(x)
''',
    ),
    "point_net_conv": Network(
        "PointNetConv",
        "PointNetConv(local_nn=MLP([before + 3, after, after]))",
        imports=MLP,
        **POINT_CLOUD,
    ),
    "gmm_conv": Network(
        "GMMConv",
        "GMMConv(before, after, dim=2, kernel_size=25)",
        {**GRAPH, "edge_attr": "torch.rand(edges, 2)"},
    ),
    "nn_conv": Network(
        "NNConv",
        "NNConv(out_channels, out_channels, nn=torch.nn.Linear(16, out_channels**2))",
        ATTRIBUTED,
        form="same",
    ),
    "cg_conv": Network("CGConv", "CGConv(out_channels, dim=16)", ATTRIBUTED, form="same"),
    "edge_conv": Network("EdgeConv", "EdgeConv(MLP([2 * before, after, after]))", imports=MLP),
    "ppf_conv": Network(
        "PPFConv",
        "PPFConv(local_nn=MLP([before + 4, after, after]))",
        {
            "x": X,
            "pos": "torch.rand(nodes, 3)",
            "normal": "torch.nn.functional.normalize(torch.randn(nodes, 3))",
            "edge_index": EDGES,
        },
        imports=MLP,
        graph="a cloud of 2708 points",
    ),
    "feast_conv": Network("FeaStConv", "FeaStConv(before, after)"),
    "point_transformer_conv": Network(
        "PointTransformerConv", "PointTransformerConv(before, after)", **POINT_CLOUD
    ),
    "hypergraph_conv": Network(
        "HypergraphConv",
        "HypergraphConv(before, after)",
        {"x": X, "hyperedge_index": EDGES},
        graph="a hypergraph of the size of Cora",
    ),
    "le_conv": Network("LEConv", "LEConv(before, after)", WEIGHTED),
    "pna_conv": Network(
        "PNAConv",
        "PNAConv(before, after, aggregators, scalers, degree)",
        {"x": X, "edge_index": "edge_index"},
        before=f"""\
aggregators = ["mean", "min", "max", "std"]
scalers = ["identity", "amplification", "attenuation"]
edge_index = {EDGES}

{DEGREES}""",
    ),
    "cluster_gcn_conv": Network("ClusterGCNConv", "ClusterGCNConv(before, after)"),
    "gen_conv": Network("GENConv", "GENConv(before, after)"),
    "gcn2_conv": Network(
        "GCN2Conv",
        "",
        defaults={"out_channels": 64, "num_layers": 64},
        network='''\
class Network(torch.nn.Module):
    """Convolutions that are reminded of the first features, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for layer in range(1, num_layers + 1):
            self.convs.append(GCN2Conv(out_channels, alpha=0.1, theta=0.5, layer=layer))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = first = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, first, edge_index).relu()
        return self.head(x)
''',
    ),
    "wl_conv_continuous": Network("WLConvContinuous", "WLConvContinuous()", WEIGHTED, form="same"),
    "film_conv": Network("FiLMConv", "FiLMConv(before, after)"),
    "supergat_conv": Network("SuperGATConv", "SuperGATConv(before, after)"),
    "fa_conv": Network(
        "FAConv",
        "",
        network='''\
class Network(torch.nn.Module):
    """Convolutions that are reminded of the first features, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for _ in range(num_layers):
            self.convs.append(FAConv(out_channels))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = first = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, first, edge_index)
        return self.head(x)
''',
    ),
    "eg_conv": Network("EGConv", "EGConv(before, after)"),
    "pdn_conv": Network(
        "PDNConv", "PDNConv(before, after, edge_dim=16, hidden_channels=32)", ATTRIBUTED
    ),
    "general_conv": Network("GeneralConv", "GeneralConv(before, after)"),
    "hgt_conv": Network(
        "HGTConv",
        "HGTConv(in_channels, out_channels, metadata)",
        TWO_KINDS,
        before=METADATA,
        form="kinds",
        graph="papers and their authors",
        **NO_LAYERS,
    ),
    "han_conv": Network(
        "HANConv",
        "HANConv(in_channels, out_channels, metadata)",
        TWO_KINDS,
        before=METADATA,
        form="kinds",
        graph="papers and their authors",
        **NO_LAYERS,
    ),
    "hetero_conv": Network(
        "HeteroConv",
        """\
HeteroConv(
            {
                ("paper", "cites", "paper"): GCNConv(in_channels, out_channels),
                ("author", "writes", "paper"): SAGEConv(in_channels, out_channels),
                ("paper", "written_by", "author"): SAGEConv(in_channels, out_channels),
            }
        )""",
        TWO_KINDS,
        form="kinds",
        imports=("from torch_geometric.nn import GCNConv, HeteroConv, SAGEConv",),
        graph="papers and their authors",
        **NO_LAYERS,
    ),
    "heat_conv": Network(
        "HEATConv",
        """\
HEATConv(
    before,
    after,
    num_node_types=3,
    num_edge_types=4,
    edge_type_emb_dim=16,
    edge_dim=16,
    edge_attr_emb_dim=16,
)""",
        {
            **GRAPH,
            "node_type": "torch.randint(0, 3, (nodes,))",
            "edge_type": "torch.randint(0, 4, (edges,))",
            "edge_attr": "torch.rand(edges, 16)",
        },
    ),
    "lg_conv": Network("LGConv", "LGConv()", form="same"),
    "point_gnn_conv": Network(
        "PointGNNConv",
        """\
PointGNNConv(
    mlp_h=MLP([out_channels, out_channels, 3]),
    mlp_f=MLP([out_channels + 3, out_channels, out_channels]),
    mlp_g=MLP([out_channels, out_channels, out_channels]),
)""",
        form="same",
        imports=MLP,
        **POINT_CLOUD,
    ),
    "gps_conv": Network(
        "GPSConv",
        "GPSConv(out_channels, GCNConv(out_channels, out_channels), heads=4)",
        form="same",
        imports=("from torch_geometric.nn import GCNConv",),
    ),
    "anti_symmetric_conv": Network(
        "AntiSymmetricConv", "AntiSymmetricConv(out_channels)", form="same"
    ),
    "dir_gnn_conv": Network(
        "DirGNNConv",
        "DirGNNConv(SAGEConv(before, after), alpha=alpha)",
        parameters=("in_channels", "out_channels", "num_layers", "alpha"),
        defaults={"num_layers": 2, "alpha": 0.5},
        imports=("from torch_geometric.nn import SAGEConv",),
    ),
    "mix_hop_conv": Network(
        "MixHopConv", "MixHopConv(before, after // 3)", width="3 * out_channels"
    ),
    "mesh_cnn_conv": Network(
        "MeshCNNConv",
        "MeshCNNConv(before, after)",
        {"x": "torch.rand(edges, in_channels)", "edge_index": "edge_index"},
        defaults={"in_channels": 5, "num_layers": 2},
        task="semantic_segmentation",
        graph="a mesh of 2250 edges",
        sizes=MESH,
        before="""\
# Every edge of a mesh has four others around it, in order: those of its two triangles
around = torch.randint(0, edges, (4 * edges,))
edge_index = torch.stack([around, torch.arange(edges).repeat_interleave(4)])
""",
    ),
}
"""The convolutions of torch_geometric.nn.conv, in its order."""

DENSE_CONVOLUTIONS = {
    "dense_gcn_conv": ("DenseGCNConv", "DenseGCNConv(before, after)"),
    "dense_gin_conv": ("DenseGINConv", "DenseGINConv(MLP([before, after, after], norm=None))"),
    "dense_graph_conv": ("DenseGraphConv", "DenseGraphConv(before, after)"),
    "dense_sage_conv": ("DenseSAGEConv", "DenseSAGEConv(before, after)"),
    "dense_gat_conv": ("DenseGATConv", "DenseGATConv(before, after)"),
}
"""The convolutions of torch_geometric.nn.dense, which take the edges as a matrix."""

LAYERED = "(in_channels, out_channels, num_layers, classes)"

MODELS = {
    "gcn": Network("GCN", "GCN" + LAYERED, form="model"),
    "graph_sage": Network("GraphSAGE", "GraphSAGE" + LAYERED, form="model"),
    "gin": Network("GIN", "GIN" + LAYERED, form="model"),
    "gat": Network("GAT", "GAT" + LAYERED, form="model"),
    "pna": Network(
        "PNA",
        """\
PNA(
    in_channels,
    out_channels,
    num_layers,
    classes,
    aggregators=["mean", "min", "max", "std"],
    scalers=["identity", "amplification", "attenuation"],
    deg=degree,
)""",
        {"x": X, "edge_index": "edge_index"},
        form="model",
        before=f"edge_index = {EDGES}\n\n{DEGREES}",
    ),
    "edge_cnn": Network("EdgeCNN", "EdgeCNN" + LAYERED, form="model"),
    "deep_gcn": Network(
        "DeepGCNLayer",
        "",
        imports=("from torch_geometric.nn import DeepGCNLayer, GENConv",),
        defaults={"out_channels": 64, "num_layers": 28},
        network='''\
class Network(torch.nn.Module):
    """Many residual layers of graph convolutions, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.layers = torch.nn.ModuleList()
        for _ in range(num_layers):
            conv = GENConv(out_channels, out_channels, learn_t=True, norm="layer")
            norm = torch.nn.LayerNorm(out_channels)
            self.layers.append(DeepGCNLayer(conv, norm, torch.nn.ReLU(), block="res+"))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x)
        for layer in self.layers:
            x = layer(x, edge_index)
        return self.head(x)
''',
    ),
    "rev_gnn": Network(
        "GroupAddRev",
        "",
        imports=("from torch_geometric.nn import GroupAddRev, SAGEConv",),
        defaults={"out_channels": 160, "num_layers": 7},
        network='''\
class Network(torch.nn.Module):
    """Reversible layers of graph convolutions in two groups, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.layers = torch.nn.ModuleList()
        for _ in range(num_layers):
            conv = SAGEConv(out_channels // 2, out_channels // 2)
            self.layers.append(GroupAddRev(conv, num_groups=2))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x)
        for layer in self.layers:
            x = layer(x, edge_index)
        return self.head(x.relu())
''',
    ),
    "signed_gcn": Network(
        "SignedGCN",
        "SignedGCN(in_channels, out_channels, num_layers)",
        SIGNED,
        form="model",
        defaults={"out_channels": 64, "num_layers": 2},
        graph="a graph of the size of Cora with positive and negative edges",
    ),
    "graph_unet": Network(
        "GraphUNet",
        "GraphUNet(in_channels, out_channels, classes, depth=3)",
        form="model",
        parameters=("in_channels", "out_channels"),
        defaults={"out_channels": 32},
    ),
    "schnet": Network(
        "SchNet",
        "SchNet(interaction_graph=AllPairs())",
        {
            "z": "torch.randint(1, 10, (atoms * batch_size,))",
            "pos": "3 * torch.randn(atoms * batch_size, 3)",
            "batch": "torch.arange(batch_size).repeat_interleave(atoms)",
        },
        form="model",
        parameters=("batch_size",),
        defaults={},
        task="molecular_property_prediction",
        graph="molecules of 18 atoms",
        sizes=ATOMS,
        network='''\
class AllPairs(torch.nn.Module):
    """Every atom of a molecule interacts with every other one of it."""

    def __init__(self):
        super().__init__()
        one = torch.arange(atoms * batch_size)
        together = one[:, None] // atoms == one // atoms
        self.register_buffer("pairs", (together & (one[:, None] != one)).nonzero().t())

    def forward(self, pos, batch):
        one, other = self.pairs
        return self.pairs, (pos[one] - pos[other]).norm(dim=-1)
''',
    ),
    "attentive_fp": Network(
        "AttentiveFP",
        """\
AttentiveFP(
    39,
    out_channels,
    1,
    edge_dim=10,
    num_layers=num_layers,
    num_timesteps=2,
)""",
        MOLECULES,
        form="model",
        parameters=("batch_size", "out_channels", "num_layers"),
        defaults={"out_channels": 200, "num_layers": 2},
        before=BONDS,
        task="molecular_property_prediction",
        graph="molecules of 18 atoms",
        sizes=ATOMS,
        paper=(
            "Pushing the Boundaries of Molecular Representation for Drug Discovery with the Graph "
            "Attention Mechanism",
            "https://pubs.acs.org/doi/10.1021/acs.jmedchem.9b00959",
        ),
    ),
    "neural_fingerprint": Network(
        "NeuralFingerprint",
        "NeuralFingerprint(39, out_channels, 512, num_layers)",
        {name: MOLECULES[name] for name in ("x", "edge_index", "batch")},
        form="model",
        parameters=("batch_size", "out_channels", "num_layers"),
        defaults={"out_channels": 64, "num_layers": 4},
        before=BONDS,
        task="molecular_property_prediction",
        graph="molecules of 18 atoms",
        sizes=ATOMS,
    ),
    "rect_l": Network(
        "RECT_L",
        "RECT_L(in_channels, out_channels)",
        form="model",
        parameters=("in_channels", "out_channels"),
        defaults={"out_channels": 200},
    ),
    "linkx": Network(
        "LINKX", "LINKX(nodes, in_channels, out_channels, classes, num_layers)", form="model"
    ),
    "light_gcn": Network(
        "LightGCN",
        "LightGCN(nodes, embedding_dim=out_channels, num_layers=num_layers)",
        {"edge_index": EDGES},
        form="model",
        parameters=("out_channels", "num_layers"),
        defaults={"out_channels": 64, "num_layers": 3},
        task="link_prediction",
    ),
    "pmlp": Network("PMLP", "PMLP(in_channels, out_channels, classes, num_layers)", form="model"),
    "sgformer": Network(
        "SGFormer",
        "SGFormer(in_channels, out_channels, classes)",
        {**GRAPH, "batch": "torch.zeros(nodes, dtype=torch.long)"},
        form="model",
        parameters=("in_channels", "out_channels"),
        defaults={"out_channels": 64},
    ),
    "polynormer": Network(
        "Polynormer",
        "Polynormer(in_channels, out_channels, classes)",
        {**GRAPH, "batch": "torch.zeros(nodes, dtype=torch.long)"},
        form="model",
        parameters=("in_channels", "out_channels"),
        defaults={"out_channels": 64},
    ),
    "ar_link_predictor": Network(
        "ARLinkPredictor",
        "ARLinkPredictor(in_channels, out_channels, num_layers=num_layers)",
        form="model",
        task="link_prediction",
    ),
}
"""The models of torch_geometric.nn.models, in its order."""

NETWORKS = {
    **CONVOLUTIONS,
    **{
        name: Network(
            kind,
            layer,
            DENSE,
            parameters=("batch_size", "in_channels", "out_channels", "num_layers"),
            imports=MLP if "MLP" in layer else (),
            graph="graphs of the size of Cora, with their edges as a matrix",
        )
        for name, (kind, layer) in DENSE_CONVOLUTIONS.items()
    },
    **MODELS,
}

LEFT_OUT = {
    "CuGraphGATConv": "needs cuGraph",
    "CuGraphRGCNConv": "needs cuGraph",
    "CuGraphSAGEConv": "needs cuGraph",
    "FusedGATConv": "needs dgNN",
    "GravNetConv": "needs pyg-lib",
    "DynamicEdgeConv": "needs pyg-lib",
    "XConv": "needs pyg-lib",
    "SplineConv": "needs pyg-lib",
    "PANConv": "needs torch-sparse",
    "WLConv": "counts colours in a Python dictionary and computes no tensors",
    "DimeNet": "needs pyg-lib and torch-sparse",
    "DimeNetPlusPlus": "needs pyg-lib and torch-sparse",
    "GNNFF": "needs pyg-lib and torch-sparse",
    "ViSNet": "needs pyg-lib",
    "LPFormer": "needs a sparse matrix of personalised PageRank",
    "GPSE": "takes a Batch object instead of tensors",
    "RENet": "needs the history of a temporal graph instead of tensors",
    "TGNMemory": "keeps a memory between calls",
    "Node2Vec": "looks up an embedding; its work is the random walks of its training",
    "MetaPath2Vec": "looks up an embedding; its work is the random walks of its training",
    "DeepGraphInfomax": "shuffles the nodes at random in every call",
    "GAE": "calls the encoder it was given",
    "VGAE": "calls the encoder it was given",
    "ARGA": "calls the encoder it was given",
    "ARGVA": "calls the encoder it was given",
    "CorrectAndSmooth": "works on the predictions of another model",
    "MetaLayer": "calls the models it was given",
    "MLP": "has no graph",
    "JumpingKnowledge": "a part of other models",
    "HeteroJumpingKnowledge": "a part of other models",
    "InnerProductDecoder": "a part of other models",
    "GPSENodeEncoder": "a part of other models",
    "MaskLabel": "a part of other models",
    "LabelPropagation": "an algorithm without parameters, which is not what turnkey calls a model",
}
"""The classes without a script, with the reason."""


def survey() -> list[dict[str, Any]]:
    """One row per convolution and model of the installed torch_geometric."""
    import inspect

    from torch_geometric import nn
    from torch_geometric.nn import conv, dense, models

    names = {network.kind: name for name, network in NETWORKS.items()}
    rows = []
    for kind in [*conv.__all__, *dense.__all__, *models.__all__]:
        if kind not in names and kind not in LEFT_OUT:
            continue
        of_library = getattr(nn, kind, None) or getattr(models, kind)
        title, address = _paper(inspect.getdoc(of_library) or "")
        row = {
            "name": names.get(kind, ""),
            "class": kind,
            "file": of_library.__module__.replace(".", "/") + ".py",
            "title": title,
            "paper": address,
            "params": "",
            "left_out": LEFT_OUT.get(kind, ""),
        }
        rows.append(row | {"params": _count(row)} if kind in names else row)
    return rows


def _paper(documentation: str) -> tuple[str, str]:
    """Title and URL of the first paper in the documentation of a class."""
    import re

    found = re.search(r'`"([^"]+)"\s*<(https?://[^>]+)>`', documentation)
    if not found:
        return "", ""
    title, address = found.groups()
    return " ".join(title.split()), "".join(address.split())


def _count(row: dict[str, Any]) -> int:
    """The number of parameters of the model of a script, which is created for that."""
    import sys
    from unittest import mock

    (script,) = scripts([row])
    made: dict[str, Any] = {"__name__": script.name}
    with mock.patch.object(sys, "argv", [script.name]):
        exec(script.text.split("# Call the model")[0], made)
    return sum(parameter.numel() for parameter in made["model"].parameters())


def scripts(rows: Iterable[Mapping[str, str]]) -> Iterator[Script]:
    """One script per row that is not left out."""
    for row in rows:
        if not row["left_out"]:
            yield _script(row, NETWORKS[row["name"]])


def _script(row: Mapping[str, str], network: Network) -> Script:
    title, address = network.paper or (row["title"], row["paper"])
    paper = [*wrap(f"{title}:", WIDTH), address] if address else []
    where = f"{REPOSITORY}/{row['file']}"
    what = f"{network.kind} of torch_geometric, on {network.graph}."
    needed = {f"from torch_geometric.nn import {network.kind}", *network.imports}
    return Script(
        corpus=CORPUS,
        name=row["name"],
        author="torch_geometric",
        task=network.task,
        license="mit",
        source="\n".join([what, "", *paper, where]),
        imports=tuple(_merged(needed | ({PAIRWISE} if _form(network) == "layers" else set()))),
        parameters=network.parameters,
        defaults=network.defaults,
        params=int(row["params"]) if row["params"] else None,
        body=_body(network),
        sample=row["name"] in SAMPLES,
    )


PAIRWISE = "from itertools import pairwise"


def _merged(lines: Iterable[str]) -> list[str]:
    """The imports, one line per module."""
    names: dict[str, set[str]] = {}
    for line in lines:
        module, wanted = line.removeprefix("from ").split(" import ")
        names.setdefault(module, set()).update(wanted.split(", "))

    def order(name: str) -> tuple[bool, str]:
        """Constants before classes, as the linter sorts them."""
        return (not name.isupper(), name)

    return [
        f"from {module} import {', '.join(sorted(wanted, key=order))}"
        for module, wanted in names.items()
    ]


def _form(network: Network) -> str:
    return "own" if network.network and network.form != "model" else network.form


def _body(network: Network) -> str:
    """The code from the sizes of the graph to the call of the network."""
    form = _form(network)
    classes = network.network or ("" if form == "model" else _class(network, form))
    create = network.layer if form == "model" else "Network()"
    inputs = "".join(f'    "{name}": {make},\n' for name, make in network.inputs.items())
    sizes = _sizes(network.sizes, classes + network.before + create + inputs)
    pieces = [
        f"# What the graph counts\n{sizes}\n\n",
        f"\n{classes}\n\n" if classes else "",
        network.before and f"{network.before}\n",
        f"# The model and its inputs\nmodel = {create}\nmodel.eval()\n",
        f"inputs = {{\n{inputs}}}\n\n# Call the model\nmodel(**inputs)\n",
    ]
    return "".join(pieces)


def _sizes(sizes: Mapping[str, int], text: str) -> str:
    """The assignment of those sizes that some text uses."""
    import re

    used = [name for name in sizes if re.search(rf"(?<![\w.\"]){name}\b", text)]
    return f"{', '.join(used)} = {', '.join(str(sizes[name]) for name in used)}"


def _class(network: Network, form: str) -> str:
    """The class ``Network``: the convolutions and a linear layer for the classes."""
    arguments = network.arguments or ", ".join(network.inputs)
    template = {"layers": _LAYERS, "same": _SAME, "once": _ONCE, "kinds": _KINDS}[form]
    layer = network.layer
    if form in ("layers", "same") and ("\n" in layer or len(layer) > LONGEST):
        layer = f"\n{indent(layer, ' ' * 16)}\n            "
    return template.format(
        layer=layer, inputs=", ".join(network.inputs), arguments=arguments, width=network.width
    )


LONGEST = WIDTH - len("            self.convs.append()")
"""The longest code of a layer that fits on the line of its list."""

_LAYERS = '''\
class Network(torch.nn.Module):
    """Graph convolutions, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for before, after in pairwise([in_channels, *[{width}] * num_layers]):
            self.convs.append({layer})
        self.head = torch.nn.Linear({width}, classes)

    def forward(self, {inputs}):
        for conv in self.convs:
            x = conv({arguments}).relu()
        return self.head(x)
'''

_SAME = '''\
class Network(torch.nn.Module):
    """Graph convolutions between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for _ in range(num_layers):
            self.convs.append({layer})
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, {inputs}):
        x = self.encoder(x).relu()
        for conv in self.convs:
            x = conv({arguments}).relu()
        return self.head(x)
'''

_ONCE = '''\
class Network(torch.nn.Module):
    """A graph convolution between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.conv = {layer}
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, {inputs}):
        x = self.encoder(x).relu()
        x = self.conv({arguments}).relu()
        return self.head(x)
'''

_KINDS = '''\
class Network(torch.nn.Module):
    """A convolution for two kinds of nodes, and a linear layer for the classes of the papers."""

    def __init__(self):
        super().__init__()
        self.conv = {layer}
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, paper, author, cites, writes, written_by):
        features = {{"paper": paper, "author": author}}
        links = {{
            ("paper", "cites", "paper"): cites,
            ("author", "writes", "paper"): writes,
            ("paper", "written_by", "author"): written_by,
        }}
        return self.head(self.conv(features, links)["paper"].relu())
'''
