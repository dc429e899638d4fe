# labels: name::resnet18 task::image_classification
"""A ResNet-18 in PyTorch alone, with random weights: what `make demo` races."""

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut around them."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.layers(x) + self.shortcut(x))


class ResNet18(nn.Module):
    """A stem, four stages of two blocks, a classifier of 1,000 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, padding=1),
        )
        self.stages = nn.Sequential(
            *(Block(64, 64, 1), Block(64, 64, 1)),
            *(Block(64, 128, 2), Block(128, 128, 1)),
            *(Block(128, 256, 2), Block(256, 256, 1)),
            *(Block(256, 512, 2), Block(512, 512, 1)),
        )
        self.classifier = nn.Linear(512, 1000)

    def forward(self, image: Tensor) -> Tensor:
        features = self.stages(self.stem(image))
        return self.classifier(features.mean(dim=(2, 3)))


torch.manual_seed(0)
model = ResNet18().eval()
with torch.no_grad():
    model(torch.rand(1, 3, 224, 224))
